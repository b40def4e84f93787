-- Seconds for which queue managers were suspended from clusters, by day.
WITH spans AS (
    SELECT qmgr, cluster, type, greatest(occurred_at, getvariable('since')) AS t,
        least(coalesce(lead(occurred_at) OVER (
            PARTITION BY qmgr, cluster ORDER BY occurred_at, position), getvariable('until')),
            getvariable('until')) AS u
    FROM events WHERE type IN ('QueueManagerSuspended', 'QueueManagerResumed')
), days AS (
    SELECT qmgr, cluster, t, u, unnest(generate_series(
        date_trunc('day', make_timestamp(t)), date_trunc('day', make_timestamp(u - 1)),
        INTERVAL 1 day)) AS day
    FROM spans WHERE type = 'QueueManagerSuspended' AND t < u
)
SELECT day::DATE AS day, qmgr, cluster,
    sum(least(u, epoch_us(day + INTERVAL 1 day)) - greatest(t, epoch_us(day))) / 1e6
        AS suspended_s
FROM days GROUP BY ALL
