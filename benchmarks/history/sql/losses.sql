-- What expired and was removed at a queue manager, and what returned, month by month.
WITH items AS (
    SELECT qmgr, cluster, type, occurred_at, position,
        inline(from_json(get_json_object(body, '$.items'),
            'array<struct<owner: string, only: array<array<string>>>>'))
    FROM events
    WHERE family = 'repository' AND occurred_at < :until
        AND type IN ('InformationExpired', 'InformationRemoved', 'InformationReceived')
),
followed AS (
    SELECT *, last(CASE WHEN type <> 'InformationExpired' THEN type END, true) OVER (
        PARTITION BY qmgr, cluster, owner ORDER BY occurred_at, position
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS former
    FROM items
),
kept AS (
    SELECT *, greatest(size(only), 0) AS records FROM followed
    WHERE occurred_at >= :since AND (type <> 'InformationReceived' OR former = 'InformationRemoved')
)
SELECT CAST(date_trunc('month', timestamp_micros(occurred_at)) AS DATE) AS month, cluster, qmgr,
    count_if(type = 'InformationExpired') AS expiries,
    coalesce(sum(records) FILTER (WHERE type = 'InformationExpired'), 0) AS expired_records,
    count_if(type = 'InformationRemoved') AS removals,
    coalesce(sum(records) FILTER (WHERE type = 'InformationRemoved'), 0) AS removed_records,
    count(DISTINCT owner) FILTER (WHERE type = 'InformationRemoved') AS owners_lost,
    count_if(type = 'InformationReceived') AS returns
FROM kept GROUP BY 1, 2, 3
