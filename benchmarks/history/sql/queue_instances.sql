-- How many instances of each queue were believed, and could be reached, day by day.
WITH
told AS (
    SELECT qmgr, cluster, type, qmid, sequence, kind, name, occurred_at AS t, position AS p,
        from_json(body, 'records array<struct<kind: string, name: string, deleted: boolean,
                cluster: string, owner: string, sequence: bigint,
                records: array<struct<kind: string, name: string>>,
                values: struct<PUT: string>>>,
            names array<array<string>>, asks array<array<string>>,
            items array<struct<owner: string, sequence: bigint, only: array<array<string>>>>,
            dropped array<struct<owner: string, sequence: bigint, only: array<array<string>>>>,
            requests array<struct<cluster: string, kind: string, name: string>>,
            queues boolean, member string') AS b
    FROM events
    WHERE family IN ('repository', 'clusters', 'queue_managers', 'restoring', 'subscriptions')
        AND occurred_at < :until
        AND type IN ('InformationPublished', 'InformationRepublished', 'InformationReceived',
            'InformationRemoved', 'RepositoryRefreshed', 'SubscriptionMade',
            'SubscriptionsLapsed', 'QueueManagerRestored', 'QueueManagerDeleted',
            'MemberForceRemoved')
),
publications AS (
    SELECT qmid AS owner, sequence, r.queue, coalesce(r.deleted, false) AS deleted,
        coalesce(last(r.disabled, true) OVER (
            PARTITION BY qmid, cluster, r.queue ORDER BY sequence), false) AS disabled
    FROM (
        SELECT qmid, cluster, sequence, explode(CASE type
            WHEN 'InformationPublished' THEN transform(filter(b.records, x -> x.kind = 'queue'),
                x -> struct(x.name AS queue, x.deleted AS deleted,
                    x.values.PUT <=> 'DISABLED' AS disabled))
            ELSE transform(filter(b.names, x -> x[0] = 'queue'),
                x -> struct(x[1] AS queue, false AS deleted,
                    CAST(NULL AS BOOLEAN) AS disabled)) END) AS r
        FROM told WHERE type IN ('InformationPublished', 'InformationRepublished')
    )
),
items AS (
    SELECT qmgr, cluster, t, p, type, part, i.owner, i.sequence,
        transform(filter(i.only, x -> x[0] = 'queue'), x -> x[1]) AS only
    FROM told LATERAL VIEW posexplode(coalesce(b.items, b.dropped)) AS part, i
    WHERE type IN ('InformationReceived', 'InformationRemoved', 'RepositoryRefreshed')
),
-- what: 1 begins, 0 ends, -1 ends if it is the publication that is held
changes AS (
    SELECT k.qmgr, k.cluster, x.owner, x.queue, k.t, k.p, 1 AS part, IF(x.deleted, 0, 1) AS what,
        k.sequence, x.disabled
    FROM told AS k JOIN publications AS x ON x.owner = k.qmid AND x.sequence = k.sequence
    WHERE k.type IN ('InformationPublished', 'InformationRepublished')
    UNION ALL
    SELECT i.qmgr, i.cluster, i.owner, x.queue, i.t, i.p, i.part,
        CASE WHEN i.type <> 'InformationReceived' THEN -1 WHEN x.deleted THEN 0 ELSE 1 END,
        i.sequence, x.disabled
    FROM items AS i JOIN publications AS x USING (owner, sequence) WHERE i.only IS NULL
    UNION ALL
    SELECT i.qmgr, i.cluster, i.owner, i.queue, i.t, i.p, i.part,
        IF(i.type = 'InformationReceived' AND NOT coalesce(x.deleted, false), 1, 0), i.sequence,
        coalesce(x.disabled, false)
    FROM (SELECT *, explode(only) AS queue FROM items) AS i
    LEFT JOIN publications AS x USING (owner, sequence, queue)
    UNION ALL
    SELECT qmgr, cluster, '', name, t, p, 1, 1, NULL, false
    FROM told WHERE type = 'SubscriptionMade' AND kind = 'queue'
    UNION ALL
    SELECT qmgr, cluster, '', a[1], t, p, 1, 0, NULL, false
    FROM told LATERAL VIEW explode(b.asks) AS a
    WHERE type = 'SubscriptionsLapsed' AND a[0] = 'queue'
    UNION ALL
    SELECT k.qmgr, k.cluster, k.owner, k.name, t, p, 1 + part, 1, k.sequence,
        coalesce(x.disabled, false)
    FROM (
        SELECT qmgr, r.cluster, r.owner, r.sequence, q.name, t, p, part FROM told
        LATERAL VIEW posexplode(b.records) AS part, r LATERAL VIEW explode(r.records) AS q
        WHERE type = 'QueueManagerRestored' AND q.kind = 'queue'
    ) AS k LEFT JOIN publications AS x
        ON x.owner = k.owner AND x.sequence = k.sequence AND x.queue = k.name
    UNION ALL
    SELECT qmgr, q.cluster, '', q.name, t, p, 1, 1, NULL, false
    FROM told LATERAL VIEW explode(b.requests) AS q
    WHERE type = 'QueueManagerRestored' AND q.kind = 'queue'
),
keys AS (
    SELECT DISTINCT qmgr, cluster, owner, queue FROM changes WHERE what = 1
),
ends AS (
    SELECT k.*, e.t, e.p FROM keys AS k JOIN (
        SELECT qmgr, type, cluster, b.member, b.queues, t, p FROM told
        WHERE type IN ('QueueManagerDeleted', 'QueueManagerRestored', 'RepositoryRefreshed',
            'MemberForceRemoved')
    ) AS e ON e.qmgr = k.qmgr
    WHERE e.type IN ('QueueManagerDeleted', 'QueueManagerRestored')
        OR (e.type = 'RepositoryRefreshed' AND k.owner = '' AND e.cluster = k.cluster)
        OR (e.type = 'MemberForceRemoved' AND e.cluster = k.cluster AND e.member = k.owner
            AND e.queues)
),
followed AS (
    SELECT *, last(CASE WHEN what = 1 THEN sequence END, true) OVER (
        PARTITION BY qmgr, cluster, owner, queue ORDER BY t, p, part
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS held
    FROM (
        SELECT * FROM changes
        UNION ALL SELECT qmgr, cluster, owner, queue, t, p, 0, 0, NULL, false FROM ends
    )
),
held AS (
    SELECT qmgr, cluster, owner, queue, disabled, t AS b, e
    FROM (
        SELECT *, coalesce(lead(t) OVER (
            PARTITION BY qmgr, cluster, owner, queue ORDER BY t, p, part), :until) AS e
        FROM followed WHERE what >= 0 OR held = sequence
    )
    WHERE what = 1 AND t < e
),
names AS (
    SELECT qmid AS owner, min(qmgr) AS partner FROM events
    WHERE family = 'queue_managers' AND occurred_at < :until
        AND type IN ('QueueManagerCreated', 'QueueManagerFirstSeen')
    GROUP BY qmid
),
lives AS (
    SELECT qmgr, occurred_at AS t, position AS p, type FROM events
    WHERE family IN ('queue_managers', 'restoring') AND occurred_at < :until
        AND type IN ('QueueManagerStarted', 'QueueManagerFirstSeen', 'QueueManagerEnded',
            'QueueManagerDeleted', 'QueueManagerRestored')
),
running AS (
    SELECT qmgr, t AS b, e FROM (
        SELECT *, coalesce(lead(t) OVER (PARTITION BY qmgr ORDER BY t, p), :until) AS e FROM lives
    )
    WHERE type IN ('QueueManagerStarted', 'QueueManagerFirstSeen') AND t < e
),
-- channels: their statuses, and what the ends of their queue managers make of them
statuses AS (
    SELECT qmgr, channel, occurred_at AS t, position AS p, status,
        last(nullif(partner, ''), true) OVER (
            PARTITION BY qmgr, channel ORDER BY occurred_at, position
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS partner
    FROM events
    WHERE family = 'channels' AND type = 'ChannelStatusChanged' AND occurred_at < :until
),
stood AS (
    SELECT qmgr, channel, t, p, partner,
        last(CASE WHEN status <> 'ends' THEN status END, true) OVER so_far AS status,
        status AS came, last(nullif(partner, ''), true) OVER so_far AS at_last
    FROM (
        SELECT * FROM statuses WHERE partner IS NOT NULL
        UNION ALL
        SELECT qmgr, c.channel, l.t, l.p, IF(type = 'QueueManagerEnded', 'ends', ''), NULL
        FROM lives AS l JOIN (
            SELECT DISTINCT qmgr, channel FROM statuses WHERE partner IS NOT NULL
        ) AS c USING (qmgr)
        WHERE type IN ('QueueManagerEnded', 'QueueManagerDeleted', 'QueueManagerRestored')
    )
    WINDOW so_far AS (PARTITION BY qmgr, channel ORDER BY t, p
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
),
shutting AS (
    SELECT qmgr, channel, t, p, at_last AS partner,
        IF(came IN ('RETRYING', 'STOPPED') OR (came = 'ends' AND status = 'STOPPED'), 1, 0) AS shut
    FROM stood WHERE at_last IS NOT NULL
),
shut_steps AS (
    SELECT qmgr, partner, t, sum(step) AS step, sum(seen) AS seen
    FROM (
        SELECT *,
            shut - coalesce(lag(shut) OVER (PARTITION BY qmgr, channel ORDER BY t, p), 0) AS step,
            IF(lag(t) OVER (PARTITION BY qmgr, channel ORDER BY t, p) IS NULL, 1, 0) AS seen
        FROM shutting
    )
    GROUP BY qmgr, partner, t
),
blocked AS (
    SELECT qmgr, partner, t AS b, e FROM (
        SELECT qmgr, partner, t, coalesce(lead(t) OVER ordered, :until) AS e,
            sum(step) OVER so_far AS shut, sum(seen) OVER so_far AS seen
        FROM shut_steps
        WINDOW ordered AS (PARTITION BY qmgr, partner ORDER BY t),
            so_far AS (PARTITION BY qmgr, partner ORDER BY t
                ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
    )
    WHERE shut >= seen AND shut > 0
),
-- what each observer believes of each queue, and can reach, added up
intervals AS (
    SELECT qmgr, cluster, queue, b, e, IF(owner <> '', 1, 0) AS believed,
        IF(owner <> '' AND NOT n.partner <=> qmgr, 1, 0) AS others,
        IF(owner <> '' AND NOT disabled, 1, 0) AS open, IF(owner = '', 1, 0) AS wanted, 0 AS up
    FROM held LEFT JOIN names AS n USING (owner)
    UNION ALL
    SELECT h.qmgr, h.cluster, h.queue, greatest(h.b, x.b), least(h.e, x.e), 0, 0, -1, 0, 0
    FROM held AS h JOIN names AS n USING (owner)
    JOIN blocked AS x ON x.qmgr = h.qmgr AND x.partner = n.partner
    WHERE n.partner <> h.qmgr AND NOT disabled AND greatest(h.b, x.b) < least(h.e, x.e)
    UNION ALL
    SELECT k.qmgr, k.cluster, k.queue, r.b, r.e, 0, 0, 0, 0, 1
    FROM (SELECT DISTINCT qmgr, cluster, queue FROM held) AS k JOIN running AS r USING (qmgr)
),
steps AS (
    SELECT qmgr, cluster, queue, t, sum(believed * s) AS believed,
        sum(others * s) AS others, sum(open * s) AS open,
        sum(wanted * s) AS wanted, sum(up * s) AS up
    FROM intervals
    LATERAL VIEW inline(array(struct(b AS t, 1 AS s), struct(e AS t, -1 AS s))) AS t, s
    GROUP BY qmgr, cluster, queue, t
),
sums AS (
    SELECT qmgr, cluster, queue, t, coalesce(lead(t) OVER ordered, :until) AS e,
        sum(believed) OVER so_far AS believed, sum(others) OVER so_far AS others,
        sum(open) OVER so_far AS open,
        sum(wanted) OVER so_far AS wanted, sum(up) OVER so_far AS up
    FROM steps
    WINDOW ordered AS (PARTITION BY qmgr, cluster, queue ORDER BY t),
        so_far AS (PARTITION BY qmgr, cluster, queue ORDER BY t
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
),
views AS (
    SELECT qmgr, cluster, queue, greatest(t, :since) AS b, least(e, :until) AS e, believed,
        IF(up > 0, open, 0) AS reachable,
        others > 0 OR (believed > 0 AND wanted > 0) AS chooses,
        up > 0 AND (others > 0 OR (wanted > 0 AND ever > 0)) AS counts
    FROM (
        SELECT *, max(believed) OVER (PARTITION BY qmgr, cluster, queue ORDER BY t
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS ever
        FROM sums
    )
),
days AS (
    SELECT qmgr, cluster, queue, believed, reachable, chooses, counts, d,
        greatest(b, d * 86400000000) AS b, least(e, (d + 1) * 86400000000) AS e
    FROM views
    LATERAL VIEW explode(sequence(b div 86400000000, (e - 1) div 86400000000)) AS d
    WHERE (chooses OR counts) AND b < e
),
covered AS (
    SELECT *,
        coalesce(max(IF(counts AND reachable <= 1, e, NULL)) OVER behind, 0) AS upto_one,
        coalesce(max(IF(counts AND reachable <= 0, e, NULL)) OVER behind, 0) AS upto_none
    FROM days
    WINDOW behind AS (PARTITION BY cluster, queue, d ORDER BY b, e, qmgr
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
)
SELECT date_from_unix_date(CAST(d AS INT)) AS day, cluster, queue,
    count(DISTINCT IF(chooses, qmgr, NULL)) AS observers,
    min(believed) FILTER (WHERE chooses) AS believed_least,
    max(believed) FILTER (WHERE chooses) AS believed_most,
    min(reachable) FILTER (WHERE chooses) AS reachable_least,
    max(reachable) FILTER (WHERE chooses) AS reachable_most,
    sum(IF(counts AND reachable <= 1, greatest(e - greatest(b, upto_one), 0), 0)) / 1e6D
        AS one_or_none_s,
    sum(IF(counts AND reachable <= 0, greatest(e - greatest(b, upto_none), 0), 0)) / 1e6D
        AS none_s
FROM covered GROUP BY d, cluster, queue
