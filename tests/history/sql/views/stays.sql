-- How long messages lay for a channel: those that came and left together.
WITH told AS (
    SELECT * FROM events WHERE family = 'messages' AND occurred_at < getvariable('until')
),
moves AS (
    SELECT qmgr, channel, occurred_at AS instant, position, (move->>'put')::BIGINT AS put,
        move->'share'->>'channel' AS new, (move->'share'->>'count')::BIGINT AS n
    FROM (SELECT *, unnest(from_json(body->'moves', '["JSON"]')) AS move
        FROM told WHERE type = 'MessagesReallocated')
),
entered AS (
    SELECT qmgr, occurred_at AS instant, position, position AS put,
        share->>'channel' AS channel, (share->>'count')::BIGINT AS n
    FROM (SELECT *, unnest(from_json(body->'shares', '["JSON"]')) AS share
        FROM told WHERE type = 'MessagesPut')
    UNION ALL
    SELECT qmgr, occurred_at, position, (parcel->>'put')::BIGINT, channel,
        (parcel->>'count')::BIGINT
    FROM (SELECT *, unnest(from_json(body->'parcels', '["JSON"]')) AS parcel
        FROM told WHERE type = 'MessagesReturned')
    UNION ALL
    SELECT p.qmgr, p.instant, p.position, p.put, s.channel,
        least(p.upto, s.upto) - greatest(p.upto - p.n, s.upto - s.n)
    FROM (
        SELECT qmgr, occurred_at AS instant, position, (parcel->>'put')::BIGINT AS put,
            (parcel->>'count')::BIGINT AS n,
            sum((parcel->>'count')::BIGINT) OVER (PARTITION BY position ORDER BY place) AS upto
        FROM (SELECT *, unnest(from_json(body->'parcels', '["JSON"]')) AS parcel,
                generate_subscripts(from_json(body->'parcels', '["JSON"]'), 1) AS place
            FROM told WHERE type = 'MessagesRedirected')
    ) AS p JOIN (
        SELECT position, share->>'channel' AS channel, (share->>'count')::BIGINT AS n,
            sum((share->>'count')::BIGINT) OVER (PARTITION BY position ORDER BY place) AS upto
        FROM (SELECT *, unnest(from_json(body->'shares', '["JSON"]')) AS share,
                generate_subscripts(from_json(body->'shares', '["JSON"]'), 1) AS place
            FROM told WHERE type = 'MessagesRedirected')
    ) AS s ON s.position = p.position
        AND s.upto - s.n < p.upto AND p.upto - p.n < s.upto
    UNION ALL
    SELECT qmgr, instant, position, put, new, n FROM moves WHERE new <> channel
),
entries AS (
    SELECT qmgr, channel, put, instant, position, sum(n)::BIGINT AS n FROM entered
    WHERE channel <> '' AND n > 0 GROUP BY ALL
),
taken AS (
    SELECT m.qmgr, m.channel, m.instant, m.n, e.instant AS came_at, e.position AS came_position
    FROM (SELECT *, instant::HUGEINT * 1000000000 + position AS rank FROM moves
        WHERE new <> channel AND n > 0) AS m
    ASOF JOIN (SELECT *, instant::HUGEINT * 1000000000 + position AS rank FROM entries) AS e
    ON m.qmgr = e.qmgr AND m.channel = e.channel AND m.put = e.put AND m.rank >= e.rank
),
levels AS (
    SELECT *, sum(signed) OVER (
        PARTITION BY qmgr, channel, put ORDER BY instant, position) AS level
    FROM (
        SELECT qmgr, channel, put, instant, position, n AS signed FROM entries
        UNION ALL
        SELECT qmgr, channel, put, instant, position, -sum(n) FROM moves
        WHERE new <> channel GROUP BY ALL
    )
),
net AS (
    SELECT qmgr, channel, instant, position, lowest - level + signed AS n
    FROM (SELECT *, min(level) OVER (
        PARTITION BY qmgr, channel, put ORDER BY instant, position
        ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS lowest FROM levels)
    WHERE signed > 0 AND lowest - level + signed > 0
),
come AS (
    SELECT qmgr, channel, upto, arg_min(instant, (instant, position)) AS instant FROM (
        SELECT qmgr, channel, instant, position, sum(n) OVER (
            PARTITION BY qmgr, channel ORDER BY instant, position)::BIGINT AS upto FROM net
    ) GROUP BY ALL
),
gone AS (
    SELECT qmgr, channel, occurred_at AS instant, sum("count") OVER (
        PARTITION BY qmgr, channel ORDER BY occurred_at, position)::BIGINT AS upto
    FROM told
    WHERE channel <> '' AND "count" > 0 AND (type IN ('MessagesSent', 'MessagesGot')
        OR (type = 'MessagesLost' AND body->>'why' <> 'discarded'))
),
ends AS (
    SELECT *, upto - greatest(0, coalesce(lag(upto) OVER (
        PARTITION BY qmgr, channel ORDER BY upto), 0)) AS n
    FROM (SELECT qmgr, channel, upto FROM come UNION SELECT qmgr, channel, upto FROM gone)
)
SELECT s.qmgr, s.channel, s.came_at, g.instant AS gone_at, s.n
FROM (
    SELECT e.qmgr, e.channel, e.upto, e.n, c.instant AS came_at FROM ends AS e
    ASOF JOIN come AS c
    ON e.qmgr = c.qmgr AND e.channel = c.channel AND e.upto <= c.upto
) AS s ASOF LEFT JOIN gone AS g
ON s.qmgr = g.qmgr AND s.channel = g.channel AND s.upto <= g.upto
WHERE s.n > 0
UNION ALL SELECT qmgr, channel, came_at, instant, n FROM taken
