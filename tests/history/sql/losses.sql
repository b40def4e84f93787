WITH items AS (
    SELECT qmgr, cluster, type, occurred_at, position, i->>'owner' AS owner,
        CASE WHEN json_type(i->'only') = 'ARRAY' THEN json_array_length(i->'only') ELSE 0 END
            AS records
    FROM (
        SELECT *, unnest(CAST(body->'items' AS JSON[])) AS i FROM events
        WHERE type IN ('InformationExpired', 'InformationRemoved', 'InformationReceived')
            AND occurred_at < getvariable('until')
    )
),
kept AS (
    SELECT DISTINCT qmgr, cluster, owner, type, occurred_at, position FROM items
    WHERE type <> 'InformationExpired'
),
returned AS (
    SELECT qmgr, cluster, occurred_at FROM kept
    QUALIFY type = 'InformationReceived' AND 'InformationRemoved' = lag(type) OVER (
        PARTITION BY qmgr, cluster, owner ORDER BY occurred_at, position)
),
rows AS (
    SELECT qmgr, cluster, occurred_at, type, owner, records FROM items
    WHERE type <> 'InformationReceived'
    UNION ALL
    SELECT qmgr, cluster, occurred_at, 'returned', NULL, 0 FROM returned
)
SELECT CAST(date_trunc('month', make_timestamp(occurred_at)) AS DATE) AS month, cluster, qmgr,
    count(*) FILTER (type = 'InformationExpired') AS expiries,
    coalesce(sum(records) FILTER (type = 'InformationExpired'), 0)::BIGINT AS expired_records,
    count(*) FILTER (type = 'InformationRemoved') AS removals,
    coalesce(sum(records) FILTER (type = 'InformationRemoved'), 0)::BIGINT AS removed_records,
    count(DISTINCT owner) FILTER (type = 'InformationRemoved') AS owners_lost,
    count(*) FILTER (type = 'returned') AS returns
FROM rows WHERE occurred_at >= getvariable('since') GROUP BY 1, 2, 3
