-- How many messages were put on each instance of a queue, by statistics messages.
WITH counted AS (
    SELECT make_timestamp(occurred_at)::DATE AS day, name AS queue, qmgr,
        CAST(sum(coalesce(list_sum(list_transform(
            list_filter(json_keys(body, '$.counters'),
                lambda k: regexp_matches(k, '^put1?s(\.[0-9]+)?$')),
            lambda k: CAST(json_extract(body, '$.counters."' || k || '"') AS BIGINT))), 0)) AS BIGINT)
            AS puts,
        sum(coalesce((occurred_at - CAST(json_extract(body, '$.begin') AS BIGINT)) / 1e6, 0))
            AS counted_s
    FROM events
    WHERE type = 'IntervalCounted' AND kind = 'queue' AND NOT starts_with(name, 'SYSTEM.')
        AND occurred_at >= getvariable('since') AND occurred_at < getvariable('until')
    GROUP BY ALL
), shared AS (
    SELECT *, count(*) OVER (PARTITION BY day, queue) AS instances,
        sum(puts) OVER (PARTITION BY day, queue) AS total
    FROM counted
)
SELECT day, queue, qmgr, puts, CASE WHEN total > 0 THEN puts / total END AS share, instances,
    counted_s
FROM shared WHERE instances > 1
