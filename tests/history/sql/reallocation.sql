WITH passes AS (
    SELECT qmgr, channel, pass_cause AS cause, occurred_at AS instant,
        sum(list_sum((body->'moves'->'$[*].share.count')::BIGINT[])) AS moved,
        sum(stayed + coalesce((body->>'ineligible')::BIGINT, 0)) AS stayed,
        bool_or((body->>'interrupted')::BOOLEAN) AS interrupted
    FROM events
    WHERE type = 'MessagesReallocated'
        AND occurred_at >= getvariable('since') AND occurred_at < getvariable('until')
    GROUP BY ALL
)
SELECT make_timestamp(instant)::DATE AS day, qmgr, channel, cause, count(*) AS passes,
    coalesce(sum(moved), 0)::BIGINT AS moved, coalesce(sum(stayed), 0)::BIGINT AS stayed,
    count(*) FILTER (interrupted) AS interrupted
FROM passes GROUP BY ALL
