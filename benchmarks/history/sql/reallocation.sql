-- Recorded reallocation passes by day.
WITH passes AS (
    SELECT qmgr, channel, pass_cause AS cause, occurred_at AS t,
        sum(aggregate(coalesce(from_json(get_json_object(body, '$.moves'),
            'array<struct<share: struct<count: bigint>>>'), array()), 0L,
            (n, move) -> n + move.share.count)) AS moved,
        sum(stayed) AS stayed,
        bool_or(get_json_object(body, '$.interrupted') = 'true') AS interrupted
    FROM events
    WHERE family = 'messages' AND type = 'MessagesReallocated'
        AND occurred_at >= :since AND occurred_at < :until
    GROUP BY 1, 2, 3, 4
)
SELECT date_from_unix_date(CAST(t div 86400000000 AS INT)) AS day, qmgr, channel, cause,
    count(*) AS passes, coalesce(sum(moved), 0) AS moved, coalesce(sum(stayed), 0) AS stayed,
    count_if(interrupted) AS interrupted
FROM passes GROUP BY 1, 2, 3, 4
