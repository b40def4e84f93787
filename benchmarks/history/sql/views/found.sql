-- Outages and planned stops of cluster-senders that touch the window, with their causes.
WITH parts AS (
    SELECT *, least(coalesce(u, :until), :until) - since AS upto, t - 1 - since AS before_this,
        coalesce(retries[0], 10) AS short, coalesce(retries[1], 60000000) AS pause,
        coalesce(retries[2], 999999999) AS long, coalesce(retries[3], 1200000000) AS wait
    FROM stretches WHERE sort IN ('outage', 'stopped')
),
tried AS (
    SELECT *, CASE WHEN status <> 'RETRYING' OR t >= :until THEN 0
        ELSE least((upto - 1) div greatest(pause, 1), short)
            + greatest(least((upto - 1 - short * pause) div greatest(wait, 1), long), 0)
            - CASE WHEN before_this < 0 THEN 0
                ELSE least(before_this div greatest(pause, 1), short)
                    + greatest(least((before_this - short * pause) div greatest(wait, 1), long), 0)
                END
        END AS tries
    FROM parts
),
found AS (
    SELECT qmgr, channel, partner, began.t AS began, began.position AS place, sort = 'stopped' AS stopped,
        CASE WHEN count_if(u IS NULL) = 0 THEN max(u) END AS ended,
        min_by(reason, CASE WHEN reason <> '' AND t < :until THEN t END) AS reason, sum(tries) AS retries
    FROM tried WHERE began.t < :until GROUP BY qmgr, channel, partner, began, sort
),
suspensions AS (
    SELECT qmgr, cluster, t, position, u, mode FROM (
        SELECT *, lead(t) OVER (PARTITION BY qmgr, cluster ORDER BY t, position) AS u
        FROM (
            SELECT qmgr, cluster, occurred_at AS t, position, type = 'QueueManagerSuspended' AS on,
                get_json_object(body, '$.mode') AS mode
            FROM events
            WHERE family = 'clusters' AND type IN ('QueueManagerSuspended', 'QueueManagerResumed')
            UNION ALL
            SELECT l.qmgr, c.cluster, l.t, l.position,
                coalesce(map_contains_key(l.kept, c.cluster), false),
                try_element_at(l.kept, c.cluster)
            FROM (
                SELECT qmgr, occurred_at AS t, position,
                    from_json(get_json_object(body, '$.suspended'), 'map<string, string>') AS kept
                FROM events
                WHERE family IN ('queue_managers', 'restoring')
                    AND type IN ('QueueManagerDeleted', 'QueueManagerRestored')
            ) AS l JOIN (
                SELECT qmgr, cluster FROM events
                WHERE family = 'clusters'
                    AND type IN ('QueueManagerSuspended', 'QueueManagerResumed')
                UNION
                SELECT qmgr, explode(json_object_keys(get_json_object(body, '$.suspended')))
                FROM events WHERE family = 'restoring' AND type = 'QueueManagerRestored'
            ) AS c USING (qmgr)
        )
    )
    WHERE on
),
ends AS (
    SELECT e.qmgr, down, place, back, coalesce(back, :until) - down >= 2592000000000
        OR (failed AND max(s.t) IS NULL) AS lost
    FROM (
        SELECT qmgr, type, occurred_at AS down, position AS place,
            get_json_object(body, '$.failed') <=> 'true' AS failed,
            lead(occurred_at) OVER (PARTITION BY qmgr ORDER BY occurred_at, position) AS back
        FROM events
        WHERE family = 'queue_managers' AND type IN ('QueueManagerStarted', 'QueueManagerEnded')
    ) AS e
    LEFT JOIN suspensions AS s ON s.qmgr = e.qmgr AND s.t <= down AND (u IS NULL OR down < u)
    WHERE type = 'QueueManagerEnded'
    GROUP BY e.qmgr, down, place, back, failed
),
anywhere AS (
    SELECT channel, min(cluster) AS cluster FROM channel_clusters GROUP BY channel
),
named AS (
    SELECT f.*, coalesce(there.cluster, here.cluster, anywhere.cluster) AS cluster
    FROM found AS f
    LEFT JOIN channel_clusters AS there ON there.channel = f.channel AND there.owner = partner
    LEFT JOIN channel_clusters AS here ON here.channel = f.channel AND here.owner = f.qmgr
    LEFT JOIN anywhere ON anywhere.channel = f.channel
),
known AS (
    SELECT f.*, IF(stopped, NULL, coalesce(down, s.t)) AS caused,
        CASE WHEN stopped THEN 'stopped' WHEN lost THEN 'lost' WHEN down IS NOT NULL THEN 'ended'
            WHEN s.t IS NOT NULL THEN 'suspended' ELSE 'unreachable' END AS cause
    FROM named AS f LEFT JOIN ends AS e
        ON e.qmgr = partner AND (down < began OR (down = began AND e.place < f.place))
        AND (back IS NULL OR began < back)
    LEFT JOIN suspensions AS s
        ON s.qmgr = partner AND s.cluster = f.cluster AND s.mode = 'FORCE'
        AND (s.t < began OR (s.t = began AND s.position < f.place))
        AND (s.u IS NULL OR began < s.u)
)
SELECT qmgr, channel, cluster, partner, began, place, ended, reason, retries, cause, caused,
    cause IN ('stopped', 'ended', 'suspended') AS planned,
    least(coalesce(ended, :until), :until) - greatest(began, :since) AS inside
FROM known
WHERE ended IS NULL OR ended > :since
