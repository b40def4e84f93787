-- How long messages waited on transmission queues.
WITH dated AS (
    SELECT date_trunc('month', make_timestamp(
            coalesce(gone_at, getvariable('until') - 1)))::DATE AS month,
        qmgr, channel, n, CASE WHEN gone_at IS NOT NULL THEN greatest(gone_at - came_at, 0) END AS w
    FROM stays WHERE gone_at IS NULL OR gone_at >= getvariable('since')
),
ranked AS (
    SELECT *, sum(n) OVER (PARTITION BY month, qmgr, channel, w IS NULL ORDER BY w) AS upto,
        sum(n) OVER (PARTITION BY month, qmgr, channel, w IS NULL) AS total
    FROM dated
)
SELECT month, qmgr, channel,
    coalesce(sum(n) FILTER (w IS NOT NULL), 0)::BIGINT AS messages,
    min(w) FILTER (2 * upto >= total) / 1e6 AS waited_p50_s,
    min(w) FILTER (20 * upto >= 19 * total) / 1e6 AS waited_p95_s,
    max(w) / 1e6 AS waited_max_s,
    coalesce(sum(n) FILTER (w IS NULL), 0)::BIGINT AS still_waiting
FROM ranked GROUP BY ALL
