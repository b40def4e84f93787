-- Seconds for which queue managers were suspended from clusters, day by day.
WITH asked AS (
    SELECT qmgr, cluster, occurred_at AS t, position, type = 'QueueManagerSuspended' AS suspended
    FROM events
    WHERE family = 'clusters' AND type IN ('QueueManagerSuspended', 'QueueManagerResumed')
),
lives AS (
    SELECT qmgr, occurred_at AS t, position,
        coalesce(json_object_keys(get_json_object(body, '$.suspended')), array()) AS kept
    FROM events
    WHERE family IN ('queue_managers', 'restoring')
        AND type IN ('QueueManagerDeleted', 'QueueManagerRestored')
),
changes AS (
    SELECT qmgr, cluster, t, position, suspended FROM asked
    UNION ALL
    SELECT qmgr, cluster, t, position, array_contains(kept, cluster)
    FROM lives JOIN (
        SELECT qmgr, cluster FROM asked UNION SELECT qmgr, explode(kept) AS cluster FROM lives
    ) USING (qmgr)
),
lasting AS (
    SELECT qmgr, cluster, suspended, t, coalesce(
        lead(t) OVER (PARTITION BY qmgr, cluster ORDER BY t, position), :until) AS u
    FROM changes
),
clipped AS (
    SELECT qmgr, cluster, greatest(t, :since) AS t, least(u, :until) AS u FROM lasting
    WHERE suspended AND greatest(t, :since) < least(u, :until)
),
days AS (
    SELECT qmgr, cluster, t, u,
        explode(sequence(t div 86400000000, (u - 1) div 86400000000)) AS d
    FROM clipped
)
SELECT date_from_unix_date(cast(d AS int)) AS day, qmgr, cluster,
    sum(least(u, (d + 1) * 86400000000) - greatest(t, d * 86400000000)) / 1e6D AS suspended_s
FROM days GROUP BY d, qmgr, cluster
