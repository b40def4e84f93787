-- Seconds for which queue managers were suspended from clusters, day by day.
WITH changes AS (
    SELECT qmgr, cluster, type, occurred_at AS t,
        coalesce(lead(occurred_at) OVER (
            PARTITION BY qmgr, cluster ORDER BY occurred_at, position), :until) AS u
    FROM events
    WHERE family = 'clusters' AND type IN ('QueueManagerSuspended', 'QueueManagerResumed')
),
clipped AS (
    SELECT qmgr, cluster, greatest(t, :since) AS t, least(u, :until) AS u FROM changes
    WHERE type = 'QueueManagerSuspended' AND greatest(t, :since) < least(u, :until)
),
days AS (
    SELECT qmgr, cluster, t, u,
        explode(sequence(t div 86400000000, (u - 1) div 86400000000)) AS d
    FROM clipped
)
SELECT date_from_unix_date(cast(d AS int)) AS day, qmgr, cluster,
    sum(least(u, (d + 1) * 86400000000) - greatest(t, d * 86400000000)) / 1e6D AS suspended_s
FROM days GROUP BY d, qmgr, cluster
