-- What came to lie for channels, was moved to others, and left; and where passes were made.
WITH told AS (
    SELECT qmgr, channel, occurred_at AS t, position, type, count, stayed, pass_cause,
        from_json(body, 'fixed string, why string,
            shares array<struct<count: bigint, channel: string>>,
            parcels array<struct<put: bigint, count: bigint, fixed: string>>,
            moves array<struct<put: bigint, share: struct<count: bigint, channel: string>>>') AS b
    FROM events
    WHERE family = 'messages' AND occurred_at < :until
        AND type IN ('MessagesPut', 'MessagesRedirected', 'MessagesReturned',
            'MessagesReallocated', 'MessagesLost')
),
steps AS (
    SELECT qmgr, channel, occurred_at AS t, position, 0 AS nth, 'leaves' AS step, NULL AS put,
        count AS n, '' AS fixed, NULL AS cause
    FROM events
    WHERE family = 'messages' AND occurred_at < :until
        AND type IN ('MessagesSent', 'MessagesGot')
    UNION ALL
    SELECT qmgr, one.channel, t, position, nth, one.step,
        coalesce(one.put, position), one.n, coalesce(one.fixed, ''), cause
    FROM (
        SELECT qmgr, t, position, pass_cause AS cause, posexplode(CASE type
            WHEN 'MessagesPut' THEN transform(b.shares, s -> named_struct(
                'channel', s.channel, 'step', 'enters', 'put', position, 'n', s.count,
                'fixed', b.fixed))
            WHEN 'MessagesReturned' THEN transform(b.parcels, p -> named_struct(
                'channel', channel, 'step', 'enters', 'put', p.put, 'n', p.count,
                'fixed', p.fixed))
            WHEN 'MessagesRedirected' THEN flatten(transform(b.shares, (s, i) ->
                transform(b.parcels, (p, j) -> named_struct(
                    'channel', s.channel, 'step', 'enters', 'put', p.put,
                    'n', least(
                        aggregate(slice(b.shares, 1, i + 1), 0L, (x, y) -> x + y.count),
                        aggregate(slice(b.parcels, 1, j + 1), 0L, (x, y) -> x + y.count))
                      - greatest(
                        aggregate(slice(b.shares, 1, i), 0L, (x, y) -> x + y.count),
                        aggregate(slice(b.parcels, 1, j), 0L, (x, y) -> x + y.count)),
                    'fixed', CASE WHEN p.fixed <> '' THEN p.fixed ELSE b.fixed END))))
            WHEN 'MessagesLost' THEN array(named_struct(
                'channel', CASE WHEN b.why <=> 'discarded' THEN '' ELSE channel END,
                'step', 'leaves', 'put', CAST(NULL AS BIGINT), 'n', count, 'fixed', ''))
            ELSE concat(
                flatten(transform(filter(b.moves, m -> m.share.channel <> channel), m -> array(
                    named_struct('channel', channel, 'step', 'moved', 'put', m.put,
                        'n', m.share.count, 'fixed', ''),
                    named_struct('channel', m.share.channel, 'step', 'enters', 'put', m.put,
                        'n', m.share.count, 'fixed', '')))),
                array(named_struct('channel', channel, 'step', 'passes',
                    'put', CAST(NULL AS BIGINT), 'n', coalesce(stayed, 0L), 'fixed', '')))
            END) AS (nth, one)
        FROM told
    )
)
SELECT * FROM steps WHERE channel <> '' AND (n > 0 OR step = 'passes')
