-- How long messages waited on transmission queues, of those that left in a month.
WITH counted AS (
    SELECT CAST(date_trunc('month', timestamp_micros(coalesce(gone_at, :until - 1))) AS DATE)
            AS month,
        qmgr, channel, greatest(gone_at - came_at, IF(gone_at IS NULL, NULL, 0)) AS w, sum(n) AS n
    FROM stays
    WHERE n > 0 AND came_at IS NOT NULL AND (gone_at IS NULL OR gone_at >= :since)
    GROUP BY 1, 2, 3, 4
),
ranked AS (
    SELECT *,
        sum(n) OVER (PARTITION BY month, qmgr, channel, w IS NULL ORDER BY w) AS upto,
        sum(n) OVER (PARTITION BY month, qmgr, channel, w IS NULL) AS total
    FROM counted
)
SELECT month, qmgr, channel,
    coalesce(sum(n) FILTER (WHERE w IS NOT NULL), 0) AS messages,
    min(w) FILTER (WHERE 2 * upto >= total) / 1e6D AS waited_p50_s,
    min(w) FILTER (WHERE 20 * upto >= 19 * total) / 1e6D AS waited_p95_s,
    max(w) / 1e6D AS waited_max_s,
    coalesce(sum(n) FILTER (WHERE w IS NULL), 0) AS still_waiting
FROM ranked GROUP BY month, qmgr, channel
