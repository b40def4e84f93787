-- From when to when queue managers were covered, or not.
WITH lives AS (
    SELECT qmgr, min(occurred_at) FILTER (WHERE type = 'QueueManagerCreated') AS made,
        min(occurred_at) FILTER (WHERE type = 'QueueManagerFirstSeen') AS seen
    FROM events
    WHERE family = 'queue_managers' AND occurred_at < :until
        AND type IN ('QueueManagerCreated', 'QueueManagerFirstSeen')
    GROUP BY qmgr
),
observations AS (
    SELECT qmgr, t, stop, max(log) AS logged, max(NOT log) AS captured
    FROM (
        SELECT e.qmgr, occurred_at AS t, coalesce(made, :until) AS stop,
            source IN ('observation:error-log', 'observation:error-log-json',
                'observation:container-log', 'observation:zos-log') AS log
        FROM events AS e JOIN (SELECT * FROM lives WHERE seen < coalesce(made, :until)) AS l
            ON e.qmgr = l.qmgr AND occurred_at < coalesce(made, :until)
        WHERE family IN ('channels', 'objects', 'observations', 'queue_managers')
            AND startswith(source, 'observation') AND NOT startswith(source, 'observation:amqsevt')
    )
    GROUP BY qmgr, t, stop
),
gaps AS (
    SELECT *, lead(t) OVER (PARTITION BY qmgr ORDER BY t) - t AS gap,
        last(CASE WHEN captured THEN t END, true) OVER (
            PARTITION BY qmgr ORDER BY t ROWS UNBOUNDED PRECEDING)
            AS last_captured,
        first(CASE WHEN captured THEN t END, true)
            OVER (
            PARTITION BY qmgr ORDER BY t ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_captured,
        first(CASE WHEN logged THEN t END, true)
            OVER (
            PARTITION BY qmgr ORDER BY t ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)
        - last(CASE WHEN logged THEN t END, true) OVER (
            PARTITION BY qmgr ORDER BY t ROWS UNBOUNDED PRECEDING) AS logging
    FROM observations
),
usuals AS (
    SELECT qmgr, CASE WHEN known > 2 THEN twice WHEN known > 0 THEN least(twice, 86400000000) END
        AS usual
    FROM (
        SELECT qmgr, count(*) AS known,
            CAST(2 * percentile_disc(0.5) WITHIN GROUP (ORDER BY next_captured - t) AS BIGINT)
                AS twice
        FROM gaps WHERE captured AND next_captured - t > 60000000 GROUP BY qmgr
    )
),
judged AS (
    SELECT *, coalesce(coalesce(next_captured, stop) - last_captured
            <= greatest(coalesce(usual, 0), 60000000), false)
        OR coalesce(logging <= 86400000000, false) AS covered
    FROM gaps LEFT JOIN usuals USING (qmgr)
),
numbered AS (
    SELECT *, count_if(turns) OVER (PARTITION BY qmgr ORDER BY t) AS number
    FROM (
        SELECT *, NOT covered <=> lag(covered) OVER (PARTITION BY qmgr ORDER BY t) AS turns
        FROM judged
    )
)
SELECT qmgr, 'observed' AS basis, covered, min(t) AS b, max(coalesce(t + gap, stop)) AS e, usual
FROM numbered GROUP BY qmgr, covered, number, usual
UNION ALL
SELECT qmgr, 'simulated', true, made, :until, NULL FROM lives WHERE made IS NOT NULL
