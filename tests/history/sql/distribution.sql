WITH records AS (
    SELECT cluster, qmid, qmgr AS owner, occurred_at::HUGEINT * 1000000000 + position AS t,
        record->>'kind' AS kind, record->>'name' AS name,
        coalesce((record->>'deleted')::BOOLEAN, false) AS deleted, record->'values' AS v
    FROM (SELECT *, unnest(from_json(body->'records', '["JSON"]')) AS record FROM events
        WHERE type = 'InformationPublished' AND occurred_at < getvariable('until'))
),
spans AS (
    SELECT *, coalesce(lead(t) OVER (PARTITION BY cluster, qmid, kind, name ORDER BY t),
        170141183460469231731687303715884105727) AS u
    FROM records
),
routes AS (
    SELECT q.cluster, q.name AS queue, c.qmid, c.owner, c.name AS channel,
        greatest(q.t, c.t) AS t, least(q.u, c.u) AS u,
        coalesce(q.v->>'PUT', 'ENABLED') = 'DISABLED' AS disabled,
        coalesce((c.v->>'CLWLRANK')::INT, 0) AS channel_rank,
        coalesce((q.v->>'CLWLRANK')::INT, 0) AS queue_rank,
        coalesce(c.v->>'SUSPEND', 'NO') = 'YES' AS suspended,
        coalesce((c.v->>'NETPRTY')::INT, 0) AS netprty,
        coalesce((c.v->>'CLWLPRTY')::INT, 0) AS channel_priority,
        coalesce((q.v->>'CLWLPRTY')::INT, 0) AS queue_priority,
        1000 // coalesce((c.v->>'CLWLWGHT')::INT, 50) AS step
    FROM spans AS q JOIN spans AS c ON c.cluster = q.cluster AND c.qmid = q.qmid
    WHERE q.kind = 'queue' AND c.kind = 'qmgr' AND NOT q.deleted AND NOT c.deleted
        AND (q.v->>'CLUSQT') IS DISTINCT FROM 'QMGR' AND q.t < c.u AND c.t < q.u
),
marks AS (
    SELECT cluster, queue, t AS mark FROM routes UNION SELECT cluster, queue, u FROM routes
),
active AS (
    SELECT r.*, m.mark, count(*) OVER here AS candidates
    FROM marks AS m JOIN routes AS r
    ON r.cluster = m.cluster AND r.queue = m.queue AND r.t <= m.mark AND m.mark < r.u
    WINDOW here AS (PARTITION BY r.cluster, r.queue, m.mark)
),
one AS (
    FROM active WHERE candidates > 1 AND NOT disabled
    QUALIFY channel_rank = max(channel_rank) OVER (PARTITION BY cluster, queue, mark)
),
two AS (
    FROM one QUALIFY queue_rank = max(queue_rank) OVER (PARTITION BY cluster, queue, mark)
),
three AS (
    FROM two QUALIFY NOT suspended OR bool_and(suspended) OVER (PARTITION BY cluster, queue, mark)
),
four AS (
    FROM three QUALIFY netprty = max(netprty) OVER (PARTITION BY cluster, queue, mark, qmid)
),
five AS (
    FROM four
    QUALIFY channel_priority = max(channel_priority) OVER (PARTITION BY cluster, queue, mark)
),
six AS (
    FROM five QUALIFY queue_priority = max(queue_priority) OVER (PARTITION BY cluster, queue, mark)
),
turns AS (
    SELECT *, (1 / step) / sum(1 / step) OVER (PARTITION BY cluster, queue, mark) AS part FROM six
),
puts AS (
    SELECT make_timestamp(occurred_at)::DATE AS day, qmgr, share->>'cluster' AS cluster,
        share->>'queue' AS queue, share->>'to' AS qmid, share->>'channel' AS channel,
        (share->>'count')::BIGINT AS n, occurred_at::HUGEINT * 1000000000 + position AS t
    FROM (SELECT *, unnest(from_json(body->'shares', '["JSON"]')) AS share FROM events
        WHERE type = 'MessagesPut' AND coalesce(body->>'fixed', '') = ''
        AND occurred_at >= getvariable('since') AND occurred_at < getvariable('until'))
    WHERE coalesce(share->>'named', '') = '' AND share->>'cluster' <> '' AND n > 0
),
placed AS (
    SELECT p.*, m.mark FROM puts AS p ASOF JOIN marks AS m
    ON p.cluster = m.cluster AND p.queue = m.queue AND p.t >= m.mark
    WHERE EXISTS (FROM turns AS x
        WHERE x.cluster = m.cluster AND x.queue = m.queue AND x.mark = m.mark)
),
cells AS (
    SELECT day, qmgr, queue, qmid, channel, n, 0 AS e FROM placed
    UNION ALL
    SELECT p.day, p.qmgr, p.queue, x.qmid, CASE WHEN x.owner = p.qmgr THEN '' ELSE x.channel END,
        0, p.n * x.part
    FROM (SELECT day, qmgr, cluster, queue, mark, sum(n) AS n FROM placed GROUP BY ALL) AS p
    JOIN turns AS x ON x.cluster = p.cluster AND x.queue = p.queue AND x.mark = p.mark
),
called AS (
    SELECT qmid, max(qmgr) AS called FROM events
    WHERE type IN ('QueueManagerCreated', 'QueueManagerFirstSeen')
        AND occurred_at < getvariable('until') GROUP BY ALL
),
summed AS (
    SELECT day, qmgr, queue, coalesce(called, qmid) AS destination, channel,
        sum(n)::BIGINT AS messages, sum(e) AS expected
    FROM cells LEFT JOIN called USING (qmid) GROUP BY ALL
),
tested AS (
    SELECT *, sum(messages) OVER of_day AS total, count(*) OVER of_day - 1 AS dof,
        sum((messages - expected) ** 2 / greatest(expected, 0.5)) OVER of_day AS chi2
    FROM summed WINDOW of_day AS (PARTITION BY day, qmgr, queue)
),
limited AS (
    SELECT *, CASE WHEN dof > 0 THEN dof
        * (1 - 2 / (9 * dof) + 3.090232306167813::DOUBLE * sqrt(2 / (9 * dof))) ** 3 END AS chi2_limit
    FROM tested
)
SELECT day, qmgr, queue, destination, channel, messages, messages / total AS share,
    expected / total AS expected_share, chi2, dof, chi2_limit, total >= 100 AND dof > 0 AS judged,
    judged AND chi2 > chi2_limit AS parts
FROM limited
