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
        share->>'channel' AS channel, (share->>'count')::BIGINT AS n,
        coalesce(body->>'fixed', '') AS fixed, 0 AS nth
    FROM (SELECT *, unnest(from_json(body->'shares', '["JSON"]')) AS share
        FROM told WHERE type = 'MessagesPut')
    UNION ALL
    SELECT qmgr, occurred_at, position, (parcel->>'put')::BIGINT, channel,
        (parcel->>'count')::BIGINT, parcel->>'fixed', place
    FROM (SELECT *, unnest(from_json(body->'parcels', '["JSON"]')) AS parcel,
            generate_subscripts(from_json(body->'parcels', '["JSON"]'), 1) AS place
        FROM told WHERE type = 'MessagesReturned')
    UNION ALL
    SELECT p.qmgr, p.instant, p.position, p.put, s.channel,
        least(p.upto, s.upto) - greatest(p.upto - p.n, s.upto - s.n), p.fixed,
        s.place * 1000 + p.place
    FROM (
        SELECT qmgr, occurred_at AS instant, position, (parcel->>'put')::BIGINT AS put,
            place, (parcel->>'count')::BIGINT AS n,
            coalesce(nullif(parcel->>'fixed', ''), body->>'fixed', '') AS fixed,
            sum((parcel->>'count')::BIGINT) OVER (PARTITION BY position ORDER BY place) AS upto
        FROM (SELECT *, unnest(from_json(body->'parcels', '["JSON"]')) AS parcel,
                generate_subscripts(from_json(body->'parcels', '["JSON"]'), 1) AS place
            FROM told WHERE type = 'MessagesRedirected')
    ) AS p JOIN (
        SELECT position, place, share->>'channel' AS channel, (share->>'count')::BIGINT AS n,
            sum((share->>'count')::BIGINT) OVER (PARTITION BY position ORDER BY place) AS upto
        FROM (SELECT *, unnest(from_json(body->'shares', '["JSON"]')) AS share,
                generate_subscripts(from_json(body->'shares', '["JSON"]'), 1) AS place
            FROM told WHERE type = 'MessagesRedirected')
    ) AS s ON s.position = p.position
        AND s.upto - s.n < p.upto AND p.upto - p.n < s.upto
    UNION ALL
    SELECT qmgr, instant, position, put, new, n, '', 0 FROM moves WHERE new <> channel
),
entries AS (
    SELECT qmgr, channel, put, instant, position, nth, fixed, sum(n)::BIGINT AS n
    FROM entered
    WHERE channel <> '' AND n > 0 GROUP BY ALL
),
levels AS (
    SELECT *, sum(signed) OVER (
        PARTITION BY qmgr, channel, put ORDER BY instant, position, nth) AS level
    FROM (
        SELECT qmgr, channel, put, instant, position, nth, fixed, n AS signed FROM entries
        UNION ALL
        SELECT qmgr, channel, put, instant, position, 0, '', -sum(n) FROM moves
        WHERE new <> channel GROUP BY ALL
    )
),
net AS (
    SELECT qmgr, channel, instant, position, nth, fixed, lowest - level + signed AS n
    FROM (SELECT *, min(level) OVER (
        PARTITION BY qmgr, channel, put ORDER BY instant, position, nth
        ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS lowest FROM levels)
    WHERE signed > 0 AND lowest - level + signed > 0
),
come AS (
    SELECT *, sum(n) OVER (
        PARTITION BY qmgr, channel ORDER BY instant, position, nth)::BIGINT AS upto
    FROM net WHERE n > 0
),
gone AS (
    SELECT qmgr, channel, occurred_at AS instant, position, sum("count") OVER (
        PARTITION BY qmgr, channel ORDER BY occurred_at, position)::BIGINT AS upto
    FROM told
    WHERE channel <> '' AND "count" > 0 AND (type IN ('MessagesSent', 'MessagesGot')
        OR (type = 'MessagesLost' AND body->>'why' <> 'discarded'))
),
told_of AS (
    SELECT qmgr, channel, pass_cause, occurred_at AS instant, min(position) AS position,
        sum(stayed) AS looked_at
    FROM told WHERE type = 'MessagesReallocated' AND occurred_at >= getvariable('since')
    GROUP BY ALL
),
passes AS (
    SELECT p.*,
        coalesce((SELECT max(g.upto) FROM gone AS g WHERE g.qmgr = p.qmgr
            AND g.channel = p.channel AND (g.instant, g.position) < (p.instant, p.position)), 0) AS gone,
        coalesce((SELECT arg_max("count", (d.occurred_at, d.position)) FROM events AS d
            WHERE d.type = 'ChannelBatchInDoubt' AND d.qmgr = p.qmgr AND d.channel = p.channel
            AND (d.occurred_at, d.position) < (p.instant, p.position)), 0) AS doubtful
    FROM told_of AS p
),
bound AS (
    SELECT p.qmgr, p.channel, p.instant, c.fixed AS why,
        least(c.n, c.upto - p.gone - p.doubtful) AS messages
    FROM passes AS p JOIN come AS c ON c.qmgr = p.qmgr AND c.channel = p.channel
        AND (c.instant, c.position) < (p.instant, p.position) AND c.upto > p.gone + p.doubtful
    WHERE c.fixed <> ''
)
SELECT make_timestamp(instant)::DATE AS day, qmgr, channel, why, sum(messages)::BIGINT AS messages
FROM (
    FROM bound
    UNION ALL SELECT qmgr, channel, instant, 'no-better-route', looked_at FROM passes
    UNION ALL SELECT qmgr, channel, instant, 'in-doubt', doubtful FROM passes
)
WHERE messages > 0 GROUP BY ALL
