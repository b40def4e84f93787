-- What came to lie for channels, with how much of it was never moved; and the moves.
WITH levels AS (
    SELECT *,
        sum(CASE step WHEN 'enters' THEN n ELSE -n END) OVER so_far AS level,
        last(CASE WHEN step = 'enters' THEN t END, true) OVER so_far AS arrived
    FROM lying WHERE step IN ('enters', 'moved')
    WINDOW so_far AS (PARTITION BY qmgr, channel, put ORDER BY t, position, nth
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
)
SELECT qmgr, channel, t, position, nth, step, n, fixed, arrived,
    CASE WHEN step = 'enters' THEN greatest(min(level) OVER (
        PARTITION BY qmgr, channel, put ORDER BY t, position, nth
        ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) - level + n, 0) END AS kept
FROM levels
