-- How long messages lay for a channel: those that came and left together.
WITH marks AS (
    SELECT qmgr, channel, t, position, nth, step, sum(n) OVER (
        PARTITION BY qmgr, channel, step ORDER BY t, position, nth
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS upto
    FROM (
        SELECT qmgr, channel, t, position, nth, step, kept AS n FROM kept WHERE kept > 0
        UNION ALL
        SELECT qmgr, channel, t, position, nth, step, n FROM lying WHERE step = 'leaves'
    )
)
SELECT qmgr, channel,
    last(CASE WHEN step = 'enters' THEN t END, true) OVER known AS came_at,
    last(CASE WHEN step = 'leaves' THEN t END, true) OVER known AS gone_at,
    upto - coalesce(lead(upto) OVER down, 0) AS n
FROM marks
WINDOW down AS (PARTITION BY qmgr, channel ORDER BY upto DESC, t DESC, position DESC, nth DESC),
    known AS (PARTITION BY qmgr, channel ORDER BY upto DESC, t DESC, position DESC, nth DESC
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
UNION ALL
SELECT qmgr, channel, arrived, t, n FROM kept WHERE step = 'moved' AND arrived IS NOT NULL
