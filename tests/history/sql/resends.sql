WITH sent AS (
    SELECT qmid, cluster, qmgr, position, occurred_at, sequence,
        type = 'InformationRepublished' AS again,
        unnest(CASE type
            WHEN 'InformationRepublished' THEN
                [concat(n->>0, chr(0), n->>1) FOR n IN CAST(body->'names' AS JSON[])]
            ELSE [concat(r->>'kind', chr(0), r->>'name') FOR r IN CAST(body->'records' AS JSON[])]
        END) AS record
    FROM events WHERE type IN ('InformationPublished', 'InformationRepublished')
),
aged AS (
    SELECT one.qmid, one.cluster, one.qmgr, one.position, one.occurred_at,
        one.occurred_at - max_by(earlier.occurred_at, (earlier.occurred_at, earlier.position)) AS age
    FROM sent AS one LEFT JOIN sent AS earlier
        ON earlier.qmid = one.qmid AND earlier.cluster = one.cluster
        AND earlier.record = one.record
        AND (earlier.occurred_at, earlier.position) < (one.occurred_at, one.position)
    WHERE one.again AND one.occurred_at >= getvariable('since')
        AND one.occurred_at < getvariable('until')
    GROUP BY one.qmid, one.cluster, one.qmgr, one.position, one.occurred_at, one.record
),
resent AS (
    SELECT qmid, cluster, qmgr, position, occurred_at, max(age) AS age,
        max(age) / 1e6 - 27 * 86400 AS late
    FROM aged GROUP BY ALL
)
SELECT CAST(date_trunc('month', make_timestamp(occurred_at)) AS DATE) AS month, cluster, qmgr,
    count(*) AS resends,
    count(*) FILTER (late < -60) AS early,
    count(*) FILTER (late BETWEEN -60 AND 60) AS punctual,
    quantile_disc(late, 0.5) FILTER (late >= -60) AS late_p50_s,
    max(late) FILTER (late >= -60) AS late_max_s,
    min(30 - age / 86400e6) AS least_days_left,
    count(*) FILTER (30 * 86400000000 - age < 86400000000) AS near_misses
FROM resent GROUP BY 1, 2, 3
