-- Seconds for which queue managers were suspended from clusters, by day.
WITH asked AS (
    SELECT qmgr, cluster, occurred_at, position, type = 'QueueManagerSuspended' AS suspended
    FROM events WHERE type IN ('QueueManagerSuspended', 'QueueManagerResumed')
), lives AS (
    SELECT qmgr, occurred_at, position, coalesce(json_keys(body, '$.suspended'), []) AS kept
    FROM events WHERE type IN ('QueueManagerDeleted', 'QueueManagerRestored')
), names AS (
    SELECT qmgr, cluster FROM asked UNION SELECT qmgr, unnest(kept) FROM lives
), changes AS (
    FROM asked UNION ALL
    SELECT qmgr, cluster, occurred_at, position, list_contains(kept, cluster)
    FROM lives JOIN names USING (qmgr)
), spans AS (
    SELECT qmgr, cluster, suspended, greatest(occurred_at, getvariable('since')) AS t,
        least(coalesce(lead(occurred_at) OVER (
            PARTITION BY qmgr, cluster ORDER BY occurred_at, position), getvariable('until')),
            getvariable('until')) AS u
    FROM changes
), days AS (
    SELECT qmgr, cluster, t, u, unnest(generate_series(
        date_trunc('day', make_timestamp(t)), date_trunc('day', make_timestamp(u - 1)),
        INTERVAL 1 day)) AS day
    FROM spans WHERE suspended AND t < u
)
SELECT day::DATE AS day, qmgr, cluster,
    sum(least(u, epoch_us(day + INTERVAL 1 day)) - greatest(t, epoch_us(day))) / 1e6
        AS suspended_s
FROM days GROUP BY ALL
