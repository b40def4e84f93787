-- How puts were distributed among the instances of a queue, against the attributes in force.
WITH records AS (
    SELECT cluster, qmid, qmgr AS owner, struct(occurred_at, position) AS t,
        inline(from_json(get_json_object(body, '$.records'),
            'array<struct<kind: string, name: string, deleted: boolean, values: struct<
                CLUSQT: string, PUT: string, SUSPEND: string, CLWLRANK: int, CLWLPRTY: int,
                NETPRTY: int, CLWLWGHT: int>>>'))
    FROM events
    WHERE family = 'repository' AND type = 'InformationPublished' AND occurred_at < :until
),
spans AS (
    SELECT *, coalesce(lead(t) OVER (PARTITION BY cluster, qmid, kind, name ORDER BY t),
        named_struct('occurred_at', 9223372036854775807L, 'position', 0L)) AS u
    FROM records WHERE kind IN ('queue', 'qmgr')
),
routes AS (
    SELECT q.cluster, q.name AS queue, c.qmid, c.owner, c.name AS channel,
        greatest(q.t, c.t) AS t, least(q.u, c.u) AS u,
        q.values.PUT <=> 'DISABLED' AS disabled,
        struct(coalesce(c.values.CLWLRANK, 0), coalesce(q.values.CLWLRANK, 0),
            NOT c.values.SUSPEND <=> 'YES') AS first,
        coalesce(c.values.NETPRTY, 0) AS netprty,
        struct(coalesce(c.values.CLWLPRTY, 0), coalesce(q.values.CLWLPRTY, 0)) AS second,
        1D / (1000 div coalesce(c.values.CLWLWGHT, 50)) AS turns
    FROM spans AS q JOIN spans AS c ON c.cluster = q.cluster AND c.qmid = q.qmid
    WHERE q.kind = 'queue' AND c.kind = 'qmgr' AND NOT coalesce(q.deleted, false)
        AND NOT coalesce(c.deleted, false) AND NOT q.values.CLUSQT <=> 'QMGR'
        AND q.t < c.u AND c.t < q.u
),
marks AS (
    SELECT cluster, queue, t AS mark FROM routes UNION SELECT cluster, queue, u FROM routes
),
active AS (
    SELECT r.*, m.mark, count(*) OVER (PARTITION BY r.cluster, r.queue, m.mark) AS candidates
    FROM marks AS m JOIN routes AS r
    ON r.cluster = m.cluster AND r.queue = m.queue AND r.t <= m.mark AND m.mark < r.u
),
best AS (
    SELECT *, max(first) OVER (PARTITION BY cluster, queue, mark) AS best
    FROM active WHERE candidates > 1 AND NOT disabled
),
near AS (
    SELECT *, max(netprty) OVER (PARTITION BY cluster, queue, mark, qmid) AS near
    FROM best WHERE first = best
),
final AS (
    SELECT *, max(second) OVER (PARTITION BY cluster, queue, mark) AS top
    FROM near WHERE netprty = near
),
turns AS (
    SELECT cluster, queue, mark, qmid, owner, channel,
        turns / sum(turns) OVER (PARTITION BY cluster, queue, mark) AS part
    FROM final WHERE second = top
),
puts AS (
    SELECT qmgr, t, s.cluster, s.queue, s.to AS qmid, s.channel, s.count AS n
    FROM (
        SELECT qmgr, t, b.fixed, explode(b.shares) AS s
        FROM (
            SELECT qmgr, struct(occurred_at, position) AS t,
                from_json(body, 'fixed string, shares array<struct<count: bigint, to: string,
                    channel: string, queue: string, cluster: string, named: string>>') AS b
            FROM events
            WHERE family = 'messages' AND type = 'MessagesPut'
                AND occurred_at >= :since AND occurred_at < :until
        )
    )
    WHERE coalesce(fixed, '') = '' AND coalesce(s.named, '') = '' AND s.cluster <> ''
        AND s.count > 0
),
placed AS (
    SELECT * FROM (
        SELECT *, last(mark, true) OVER (PARTITION BY cluster, queue ORDER BY t
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS since
        FROM (
            SELECT qmgr, t, cluster, queue, qmid, channel, n, NULL AS mark FROM puts
            UNION ALL
            SELECT NULL, mark, cluster, queue, NULL, NULL, NULL, mark FROM marks
        )
    )
    WHERE n IS NOT NULL AND since IS NOT NULL
),
seen AS (
    SELECT date_from_unix_date(CAST(t.occurred_at div 86400000000 AS INT)) AS day, qmgr, cluster,
        queue, since AS mark, qmid, channel, sum(n) AS n
    FROM placed GROUP BY ALL
),
totals AS (
    SELECT day, qmgr, cluster, queue, mark, sum(n) AS n FROM seen GROUP BY ALL
),
cells AS (
    SELECT day, qmgr, queue, qmid, channel, n, 0D AS e
    FROM seen LEFT SEMI JOIN turns USING (cluster, queue, mark)
    UNION ALL
    SELECT p.day, p.qmgr, p.queue, x.qmid, CASE WHEN x.owner = p.qmgr THEN '' ELSE x.channel END,
        0L, p.n * x.part
    FROM totals AS p JOIN turns AS x USING (cluster, queue, mark)
),
called AS (
    SELECT qmid, max(qmgr) AS called FROM events
    WHERE family = 'queue_managers' AND occurred_at < :until
        AND type IN ('QueueManagerCreated', 'QueueManagerFirstSeen')
    GROUP BY qmid
),
summed AS (
    SELECT day, qmgr, queue, coalesce(called, qmid) AS destination, channel, sum(n) AS messages,
        sum(e) AS expected
    FROM cells LEFT JOIN called USING (qmid) GROUP BY ALL
),
tested AS (
    SELECT *, sum(messages) OVER of_day AS total, count(*) OVER of_day - 1 AS dof,
        sum((messages - expected) * (messages - expected) / greatest(expected, 0.5D)) OVER of_day
            AS chi2
    FROM summed WINDOW of_day AS (PARTITION BY day, qmgr, queue)
),
limited AS (
    SELECT *, CASE WHEN dof > 0 THEN dof
        * power(1 - 2 / (9 * dof) + 3.090232306167813D * sqrt(2 / (9 * dof)), 3) END AS chi2_limit
    FROM tested
)
SELECT day, qmgr, queue, destination, channel, messages, messages / total AS share,
    expected / total AS expected_share, chi2, dof, chi2_limit, total >= 100 AND dof > 0 AS judged,
    total >= 100 AND dof > 0 AND chi2 > chi2_limit AS parts
FROM limited
