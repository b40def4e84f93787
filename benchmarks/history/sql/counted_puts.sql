-- How many messages were put on each instance of a queue, by statistics messages.
WITH counted AS (
    SELECT CAST(timestamp_micros(occurred_at) AS DATE) AS day, name AS queue, qmgr,
        sum(aggregate(map_values(map_filter(
            from_json(body, 'counters map<string, bigint>').counters,
            (k, v) -> k RLIKE '^put1?s(\\.[0-9]+)?$')), 0L, (a, v) -> a + v)) AS puts,
        sum(coalesce((occurred_at - from_json(body, 'begin bigint').begin) / 1e6D, 0D))
            AS counted_s
    FROM events
    WHERE family = 'observations' AND type = 'IntervalCounted' AND kind = 'queue'
        AND NOT startswith(name, 'SYSTEM.') AND occurred_at >= :since AND occurred_at < :until
    GROUP BY 1, 2, 3
),
shared AS (
    SELECT *, count(*) OVER (PARTITION BY day, queue) AS instances,
        sum(puts) OVER (PARTITION BY day, queue) AS total
    FROM counted
)
SELECT day, queue, qmgr, puts, CASE WHEN total > 0 THEN puts / total END AS share, instances,
    counted_s
FROM shared WHERE instances > 1
