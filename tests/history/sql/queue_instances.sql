-- Whether a record is held is followed event by event, for each record apart; how many are is
-- looked up at each instant at which anything changes.
WITH
known AS (
    SELECT *, occurred_at AS t, position AS p FROM events
    WHERE occurred_at < getvariable('until')
),
-- a republication only names its records: they are put-disabled if they were published so before
publications AS (
    SELECT owner, sequence, queue, deleted, coalesce(last_value(disabled IGNORE NULLS) OVER (
        PARTITION BY owner, cluster, queue ORDER BY sequence), false) AS disabled
    FROM (
        SELECT qmid AS owner, cluster, sequence, r->>'kind' AS kind, r->>'name' AS queue,
            coalesce(CAST(r->>'deleted' AS BOOLEAN), false) AS deleted,
            coalesce(r->'values'->>'PUT', '') = 'DISABLED' AS disabled
        FROM (
            SELECT qmid, cluster, sequence, unnest(CAST(body->'records' AS JSON[])) AS r
            FROM known WHERE type = 'InformationPublished'
        )
        UNION ALL
        SELECT qmid, cluster, sequence, n->>0, n->>1, false, NULL
        FROM (
            SELECT qmid, cluster, sequence, unnest(CAST(body->'names' AS JSON[])) AS n
            FROM known WHERE type = 'InformationRepublished'
        )
    ) WHERE kind = 'queue'
),
items AS (
    SELECT qmgr, cluster, t, p, type, part, i->>'owner' AS owner,
        CAST(i->>'sequence' AS BIGINT) AS sequence,
        CASE WHEN json_type(i->'only') = 'ARRAY'
            THEN [x->>1 FOR x IN CAST(i->'only' AS JSON[]) IF x->>0 = 'queue'] END AS only_queues
    FROM (
        SELECT qmgr, cluster, t, p, type, unnest(several) AS i,
            generate_subscripts(several, 1) AS part
        FROM (
            SELECT *, CAST(coalesce(body->'items', body->'dropped') AS JSON[]) AS several
            FROM known
            WHERE type IN ('InformationReceived', 'InformationRemoved', 'RepositoryRefreshed')
        )
    )
),
item_queues AS (
    SELECT i.qmgr, i.cluster, i.t, i.p, i.part, i.type, i.owner, i.sequence, x.queue,
        i.only_queues IS NULL AS whole, x.deleted, x.disabled
    FROM items i JOIN publications x USING (owner, sequence) WHERE i.only_queues IS NULL
    UNION ALL
    SELECT i.qmgr, i.cluster, i.t, i.p, i.part, i.type, i.owner, i.sequence, i.queue, false,
        coalesce(x.deleted, false), coalesce(x.disabled, false)
    FROM (SELECT *, unnest(only_queues) AS queue FROM items WHERE only_queues IS NOT NULL) i
    LEFT JOIN publications x USING (owner, sequence, queue)
),
asks AS (
    SELECT qmgr, cluster, t, p, a->>1 AS queue
    FROM (
        SELECT qmgr, cluster, t, p, unnest(CAST(body->'asks' AS JSON[])) AS a
        FROM known WHERE type = 'SubscriptionsLapsed'
    ) WHERE a->>0 = 'queue'
),
restored AS (
    SELECT qmgr, t, p, part, r->>'cluster' AS cluster, r->>'owner' AS owner,
        CAST(r->>'sequence' AS BIGINT) AS sequence, unnest(CAST(r->'records' AS JSON[])) AS q
    FROM (
        SELECT qmgr, t, p, unnest(CAST(body->'records' AS JSON[])) AS r,
            generate_subscripts(CAST(body->'records' AS JSON[]), 1) AS part
        FROM known WHERE type = 'QueueManagerRestored'
    )
),
requested AS (
    SELECT qmgr, t, p, unnest(CAST(body->'requests' AS JSON[])) AS q
    FROM known WHERE type = 'QueueManagerRestored'
),
-- what: 1 begins, 0 ends, -1 ends if it is the publication that is held
record_events AS (
    SELECT k.qmgr, k.cluster, x.owner, x.queue, k.t, k.p, 1 AS part,
        CASE WHEN x.deleted THEN 0 ELSE 1 END AS what, k.sequence, x.disabled
    FROM known k JOIN publications x ON x.owner = k.qmid AND x.sequence = k.sequence
    WHERE k.type IN ('InformationPublished', 'InformationRepublished')
    UNION ALL
    SELECT qmgr, cluster, owner, queue, t, p, part,
        CASE WHEN type = 'InformationReceived' THEN CASE WHEN deleted THEN 0 ELSE 1 END
            WHEN whole THEN -1 ELSE 0 END,
        sequence, disabled
    FROM item_queues
    UNION ALL
    SELECT qmgr, cluster, '', name, t, p, 1, 1, NULL, false
    FROM known WHERE type = 'SubscriptionMade' AND kind = 'queue'
    UNION ALL
    SELECT qmgr, cluster, '', queue, t, p, 1, 0, NULL, false FROM asks
    UNION ALL
    SELECT r.qmgr, r.cluster, r.owner, q->>'name', t, p, part, 1, r.sequence,
        coalesce(x.disabled, false)
    FROM restored AS r LEFT JOIN publications AS x
        ON x.owner = r.owner AND x.sequence = r.sequence AND x.queue = q->>'name'
    WHERE q->>'kind' = 'queue'
    UNION ALL
    SELECT qmgr, q->>'cluster', '', q->>'name', t, p, 1, 1, NULL, false
    FROM requested WHERE q->>'kind' = 'queue'
),
keys AS (
    SELECT DISTINCT qmgr, cluster, owner, queue FROM record_events WHERE what = 1
),
ends AS (
    SELECT k.*, e.t, e.p FROM keys k JOIN known e ON e.qmgr = k.qmgr
    WHERE e.type IN ('QueueManagerDeleted', 'QueueManagerRestored')
        OR (e.type = 'RepositoryRefreshed' AND k.owner = '' AND e.cluster = k.cluster)
        OR (e.type = 'MemberForceRemoved' AND e.cluster = k.cluster
            AND e.body->>'member' = k.owner AND CAST(e.body->>'queues' AS BOOLEAN))
),
followed AS (
    SELECT *, last_value(CASE WHEN what = 1 THEN sequence END IGNORE NULLS) OVER (
        PARTITION BY qmgr, cluster, owner, queue ORDER BY t, p, part
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS held
    FROM (
        SELECT * FROM record_events
        UNION ALL
        SELECT qmgr, cluster, owner, queue, t, p, 0, 0, NULL, false FROM ends
    )
),
held AS (
    SELECT qmgr, cluster, owner, queue, disabled, t AS b, e FROM (
        SELECT *, coalesce(lead(t) OVER (
            PARTITION BY qmgr, cluster, owner, queue ORDER BY t, p, part
        ), getvariable('until')) AS e
        FROM followed WHERE what >= 0 OR held = sequence
    ) WHERE what = 1 AND t < e
),
names AS (
    SELECT qmid AS owner, min(qmgr) AS partner FROM known
    WHERE type IN ('QueueManagerCreated', 'QueueManagerFirstSeen') GROUP BY 1
),
-- the life of each queue manager: whether it runs from an instant on
lives AS (
    SELECT qmgr, t, arg_max(type IN ('QueueManagerStarted', 'QueueManagerFirstSeen'), p) AS runs
    FROM known
    WHERE type IN ('QueueManagerStarted', 'QueueManagerFirstSeen', 'QueueManagerEnded',
        'QueueManagerDeleted', 'QueueManagerRestored')
    GROUP BY qmgr, t
),
-- the life of each channel: its statuses, and what ends of its queue manager makes of them
channel_events AS (
    SELECT qmgr, channel, t, p, status,
        last_value(nullif(partner, '') IGNORE NULLS) OVER (
            PARTITION BY qmgr, channel ORDER BY t, p) AS partner
    FROM known WHERE type = 'ChannelStatusChanged'
),
channels AS (
    SELECT qmgr, channel, max(partner) AS partner,
        min(CASE WHEN partner IS NOT NULL THEN t END) AS first_seen
    FROM channel_events GROUP BY 1, 2 HAVING max(partner) IS NOT NULL
),
channel_changes AS (
    SELECT qmgr, channel, t, p, status FROM channel_events WHERE partner IS NOT NULL
    UNION ALL
    SELECT c.qmgr, c.channel, e.t, e.p, CASE e.type WHEN 'QueueManagerEnded' THEN 'ends' ELSE '' END
    FROM channels c JOIN known e USING (qmgr)
    WHERE e.type IN ('QueueManagerEnded', 'QueueManagerDeleted', 'QueueManagerRestored')
),
channel_states AS (
    SELECT qmgr, channel, t, p, coalesce(last_value(nullif(status, 'ends') IGNORE NULLS) OVER w, '')
        AS status,
        status AS came
    FROM channel_changes
    WINDOW w AS (PARTITION BY qmgr, channel ORDER BY t, p)
),
-- a channel that retries ends to do so with its queue manager, one that is stopped stays so
channel_shut AS (
    SELECT qmgr, channel, t, arg_max(
        CASE came WHEN 'RETRYING' THEN true WHEN 'STOPPED' THEN true
            WHEN 'ends' THEN status = 'STOPPED' ELSE false END, p) AS shut
    FROM channel_states GROUP BY 1, 2, 3
),
partner_times AS (
    SELECT DISTINCT c.qmgr, c.partner, s.t FROM channels c JOIN channel_shut s USING (qmgr, channel)
),
partner_channels AS (
    SELECT x.qmgr, x.partner, x.t, c.channel FROM partner_times x
    JOIN channels c ON c.qmgr = x.qmgr AND c.partner = x.partner AND c.first_seen <= x.t
),
partners AS (
    SELECT x.qmgr, x.partner, x.t, bool_and(s.shut) AS shut
    FROM partner_channels x ASOF JOIN channel_shut s
        ON s.qmgr = x.qmgr AND s.channel = x.channel AND s.t <= x.t
    GROUP BY 1, 2, 3
),
-- at every instant at which anything changes
viewed AS (SELECT DISTINCT qmgr, cluster, queue FROM held WHERE owner <> ''),
instants AS (
    SELECT qmgr, cluster, queue, unnest([b, e]) AS t FROM held
    UNION SELECT v.*, l.t FROM viewed v JOIN lives l USING (qmgr)
    UNION SELECT DISTINCT h.qmgr, h.cluster, h.queue, x.t
    FROM held h JOIN names USING (owner) JOIN partners x ON x.qmgr = h.qmgr AND x.partner = names.partner
    WHERE x.t BETWEEN h.b AND h.e
),
pieces AS (
    SELECT i.*, coalesce(lead(i.t) OVER (PARTITION BY qmgr, cluster, queue ORDER BY i.t),
        getvariable('until')) AS e
    FROM instants i JOIN viewed USING (qmgr, cluster, queue)
),
running AS (
    SELECT x.*, coalesce(l.runs, false) AS runs
    FROM pieces x ASOF LEFT JOIN lives l ON l.qmgr = x.qmgr AND l.t <= x.t
    WHERE x.t < x.e
),
covered AS (
    SELECT r.qmgr, r.cluster, r.queue, r.t, r.e, r.runs, h.owner, h.disabled, n.partner
    FROM running r
    LEFT JOIN held h ON h.qmgr = r.qmgr AND h.cluster = r.cluster AND h.queue = r.queue
        AND h.b <= r.t AND r.t < h.e
    LEFT JOIN names n ON n.owner = h.owner
),
reached AS (
    SELECT c.*, CASE WHEN c.partner = c.qmgr THEN false ELSE coalesce(x.shut, false) END AS shut
    FROM covered c ASOF LEFT JOIN partners x
        ON x.qmgr = c.qmgr AND x.partner = c.partner AND x.t <= c.t
),
counted AS (
    SELECT qmgr, cluster, queue, t, any_value(e) AS e, any_value(runs) AS runs,
        count(*) FILTER (owner <> '') AS believed,
        count(*) FILTER (owner <> '' AND partner IS DISTINCT FROM qmgr) AS others,
        CASE WHEN any_value(runs) THEN 
            count(*) FILTER (owner <> '' AND NOT shut AND NOT disabled) ELSE 0 END AS reachable,
        bool_or(coalesce(owner = '', false)) AS subscribed
    FROM reached GROUP BY qmgr, cluster, queue, t
),
firsts AS (
    SELECT qmgr, cluster, queue, min(b) AS first FROM held WHERE owner <> '' GROUP BY 1, 2, 3
),
views AS (
    SELECT qmgr, cluster, queue, greatest(t, getvariable('since')) AS b, e, believed, reachable,
        others > 0 OR (believed > 0 AND subscribed) AS chooses,
        runs AND (chooses OR (subscribed AND t >= first)) AS counts
    FROM counted JOIN firsts USING (qmgr, cluster, queue)
    WHERE e > getvariable('since')
),
days AS (
    SELECT *, greatest(b, d * 86400000000) AS begins, least(e, (d + 1) * 86400000000) AS ends
    FROM (
        SELECT *, unnest(range(b // 86400000000, (e - 1) // 86400000000 + 1)) AS d
        FROM views WHERE chooses OR counts
    )
),
steps AS (
    SELECT cluster, queue, d, most, begins AS t, 1 AS s
    FROM days, (VALUES (0), (1)) AS x(most) WHERE counts AND reachable <= most
    UNION ALL
    SELECT cluster, queue, d, most, ends, -1
    FROM days, (VALUES (0), (1)) AS x(most) WHERE counts AND reachable <= most
),
sums AS (
    SELECT cluster, queue, d, most, t,
        sum(sum(s)) OVER w AS n, lead(t) OVER w AS e
    FROM steps GROUP BY cluster, queue, d, most, t
    WINDOW w AS (PARTITION BY cluster, queue, d, most ORDER BY t)
),
few AS (
    SELECT cluster, queue, d,
        sum(e - t) FILTER (n > 0 AND most = 1) AS one_or_none,
        sum(e - t) FILTER (n > 0 AND most = 0) AS none
    FROM sums GROUP BY 1, 2, 3
),
seen AS (
    SELECT cluster, queue, d, count(DISTINCT qmgr) FILTER (chooses) AS observers,
        min(believed) FILTER (chooses) AS believed_least,
        max(believed) FILTER (chooses) AS believed_most,
        min(reachable) FILTER (chooses) AS reachable_least,
        max(reachable) FILTER (chooses) AS reachable_most
    FROM days GROUP BY 1, 2, 3
)
SELECT DATE '1970-01-01' + CAST(d AS INTEGER) AS day, cluster, queue, observers, believed_least,
    believed_most, reachable_least, reachable_most,
    CAST(coalesce(one_or_none, 0) AS DOUBLE) / 1e6 AS one_or_none_s,
    CAST(coalesce(none, 0) AS DOUBLE) / 1e6 AS none_s
FROM seen LEFT JOIN few USING (cluster, queue, d)
