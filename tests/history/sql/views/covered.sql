-- From when to when queue managers were covered, or not.
WITH lives AS (
    SELECT qmgr, min(occurred_at) FILTER (type = 'QueueManagerCreated') AS made,
        min(occurred_at) FILTER (type = 'QueueManagerFirstSeen') AS seen
    FROM events
    WHERE type IN ('QueueManagerCreated', 'QueueManagerFirstSeen')
        AND occurred_at < getvariable('until')
    GROUP BY qmgr
), observations AS (
    SELECT qmgr, occurred_at AS instant, any_value(coalesce(made, getvariable('until'))) AS stop,
        bool_or(log) AS logged, bool_or(NOT log) AS captured
    FROM (
        SELECT *, source IN ('observation:error-log', 'observation:error-log-json',
            'observation:container-log', 'observation:zos-log') AS log
        FROM events
    ) JOIN lives USING (qmgr)
    WHERE seen < coalesce(made, getvariable('until')) AND starts_with(source, 'observation')
        AND NOT starts_with(source, 'observation:amqsevt')
        AND family IN ('channels', 'objects', 'observations', 'queue_managers')
        AND occurred_at < coalesce(made, getvariable('until'))
    GROUP BY qmgr, occurred_at
), gaps AS (
    SELECT one.*, lead(instant) OVER (PARTITION BY qmgr ORDER BY instant) - instant AS gap,
        (SELECT min(instant) FROM observations o
            WHERE o.qmgr = one.qmgr AND o.captured AND o.instant > one.instant) AS next_captured,
        (SELECT max(instant) FROM observations o
            WHERE o.qmgr = one.qmgr AND o.captured AND o.instant <= one.instant) AS last_captured,
        (SELECT min(instant) FROM observations o
            WHERE o.qmgr = one.qmgr AND o.logged AND o.instant > one.instant)
        - (SELECT max(instant) FROM observations o
            WHERE o.qmgr = one.qmgr AND o.logged AND o.instant <= one.instant) AS logging
    FROM observations one
), usuals AS (
    SELECT qmgr, 2 * quantile_disc(next_captured - instant, 0.5)
            FILTER (captured AND next_captured - instant > 60_000_000) AS twice,
        count(*) FILTER (captured AND next_captured - instant > 60_000_000) AS known
    FROM gaps GROUP BY qmgr
), judged AS (
    SELECT *, CASE WHEN known > 2 THEN twice WHEN known > 0 THEN least(twice, 86_400_000_000) END
            AS usual,
        coalesce(coalesce(next_captured, stop) - last_captured
            <= greatest(coalesce(usual, 0), 60_000_000), false)
        OR coalesce(logging <= 86_400_000_000, false) AS covered
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
