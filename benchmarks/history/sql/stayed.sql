-- Messages that stayed where they were at recorded passes, by why and day.
WITH running AS (
    SELECT qmgr, channel, t, position, nth, step, n, fixed, cause,
        sum(CASE WHEN step = 'enters' THEN n ELSE 0 END) OVER so_far AS came,
        sum(CASE WHEN step = 'leaves' THEN n ELSE 0 END) OVER so_far AS gone,
        coalesce(last(CASE WHEN step = 'doubt' THEN n END, true) OVER so_far, 0) AS doubtful
    FROM (
        SELECT qmgr, channel, t, position, nth, step, kept AS n, fixed, NULL AS cause
        FROM kept WHERE kept > 0
        UNION ALL
        SELECT qmgr, channel, t, position, nth, step, n, '', cause
        FROM lying WHERE step IN ('leaves', 'passes')
        UNION ALL
        SELECT qmgr, channel, occurred_at, position, 0, 'doubt', count, '', NULL
        FROM events
        WHERE family = 'channels' AND type = 'ChannelBatchInDoubt' AND occurred_at < :until
    )
    WINDOW so_far AS (PARTITION BY qmgr, channel ORDER BY t, position, nth
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
),
passes AS (
    SELECT qmgr, channel, cause, t, min(position) AS position, sum(n) AS looked_at,
        min_by(gone, position) AS gone, min_by(doubtful, position) AS doubtful
    FROM running WHERE step = 'passes' AND t >= :since GROUP BY qmgr, channel, cause, t
),
bound AS (
    SELECT p.qmgr, p.channel, p.t, c.fixed AS why,
        least(c.n, c.came - p.gone - p.doubtful) AS messages
    FROM passes AS p JOIN running AS c ON c.qmgr = p.qmgr AND c.channel = p.channel
    WHERE c.step = 'enters' AND c.fixed <> '' AND c.came > p.gone + p.doubtful
        AND (c.t < p.t OR (c.t = p.t AND c.position < p.position))
)
SELECT date_from_unix_date(CAST(t div 86400000000 AS INT)) AS day, qmgr, channel, why,
    sum(messages) AS messages
FROM (
    SELECT * FROM bound
    UNION ALL SELECT qmgr, channel, t, 'no-better-route', looked_at FROM passes
    UNION ALL SELECT qmgr, channel, t, 'in-doubt', doubtful FROM passes
)
WHERE messages > 0 GROUP BY 1, 2, 3, 4
