-- From when to when queue managers were covered, or not.
WITH lives AS (
    SELECT qmgr, min(occurred_at) FILTER (type = 'QueueManagerCreated') AS made,
        min(occurred_at) FILTER (type = 'QueueManagerFirstSeen') AS seen
    FROM events
    WHERE type IN ('QueueManagerCreated', 'QueueManagerFirstSeen')
        AND occurred_at < getvariable('until')
    GROUP BY qmgr
), captures AS (
    SELECT DISTINCT qmgr, occurred_at AS instant, coalesce(made, getvariable('until')) AS stop
    FROM events JOIN lives USING (qmgr)
    WHERE seen < coalesce(made, getvariable('until')) AND starts_with(source, 'observation')
        AND family IN ('channels', 'objects', 'queue_managers')
        AND occurred_at < coalesce(made, getvariable('until'))
), gaps AS (
    SELECT *, lead(instant) OVER (PARTITION BY qmgr ORDER BY instant) - instant AS gap
    FROM captures
), usuals AS (
    SELECT qmgr, 2 * quantile_disc(gap, 0.5) FILTER (gap > 60_000_000) AS twice,
        count(*) FILTER (gap > 60_000_000) AS known
    FROM gaps GROUP BY qmgr
), judged AS (
    SELECT *, CASE WHEN known > 2 THEN twice WHEN known > 0 THEN least(twice, 86_400_000_000) END
            AS usual,
        coalesce(gap, stop - instant) <= greatest(coalesce(usual, 0), 60_000_000) AS covered
    FROM gaps JOIN usuals USING (qmgr)
), turned AS (
    SELECT *, covered IS DISTINCT FROM lag(covered) OVER (PARTITION BY qmgr ORDER BY instant)
        AS turns
    FROM judged
), numbered AS (
    SELECT *, count(*) FILTER (turns) OVER (PARTITION BY qmgr ORDER BY instant) AS number
    FROM turned
)
SELECT qmgr, 'observed' AS basis, covered, min(instant) AS b,
    max(coalesce(instant + gap, stop)) AS e, any_value(usual) AS usual
FROM numbered GROUP BY qmgr, covered, number
UNION ALL
SELECT qmgr, 'simulated', true, made, getvariable('until'), NULL FROM lives WHERE made IS NOT NULL
