-- From when to when queue managers were covered, or not.
WITH lives AS (
    SELECT qmgr, min(occurred_at) FILTER (WHERE type = 'QueueManagerCreated') AS made,
        min(occurred_at) FILTER (WHERE type = 'QueueManagerFirstSeen') AS seen
    FROM events
    WHERE family = 'queue_managers' AND occurred_at < :until
        AND type IN ('QueueManagerCreated', 'QueueManagerFirstSeen')
    GROUP BY qmgr
),
captures AS (
    SELECT DISTINCT e.qmgr, occurred_at AS t, coalesce(made, :until) AS stop
    FROM events AS e JOIN (SELECT * FROM lives WHERE seen < coalesce(made, :until)) AS l
        ON e.qmgr = l.qmgr AND occurred_at < coalesce(made, :until)
    WHERE family IN ('channels', 'objects', 'queue_managers') AND startswith(source, 'observation')
),
gaps AS (
    SELECT *, lead(t) OVER (PARTITION BY qmgr ORDER BY t) - t AS gap FROM captures
),
usuals AS (
    SELECT qmgr, CASE WHEN known > 2 THEN twice WHEN known > 0 THEN least(twice, 86400000000) END
        AS usual
    FROM (
        SELECT qmgr, count(*) AS known,
            CAST(2 * percentile_disc(0.5) WITHIN GROUP (ORDER BY gap) AS BIGINT) AS twice
        FROM gaps WHERE gap > 60000000 GROUP BY qmgr
    )
),
judged AS (
    SELECT *, coalesce(gap, stop - t) <= greatest(coalesce(usual, 0), 60000000) AS covered
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
