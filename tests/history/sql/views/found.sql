-- Outages and planned stops of cluster-senders, with their causes.
WITH parts AS (
    SELECT *, least(coalesce(fin, getvariable('until')), getvariable('until')) AS e,
        coalesce(retries[1], 10) AS short, coalesce(retries[2], 60_000_000) AS pause,
        coalesce(retries[3], 999_999_999) AS long, coalesce(retries[4], 1_200_000_000) AS wait
    FROM numbered WHERE instant < getvariable('until')
), tried AS (
    SELECT qmgr, channel, number, arg_max({partner: partner}, instant).partner AS partner,
        arg_min(reason, instant) FILTER (reason <> '') AS reason,
        coalesce(sum(CASE WHEN status = 'RETRYING' THEN
            greatest(0, least(short, (e - since + pause - 1) // pause - 1)
                - greatest(1, (instant - since + pause - 1) // pause) + 1)
            + coalesce(greatest(0, least(long, (greatest(e - later, 0) + wait - 1) // wait - 1)
                - greatest(1, (greatest(instant - later, 0) + wait - 1) // wait) + 1), 0)
        END), 0)::BIGINT AS retries
    FROM (
        -- after all short attempts come the long ones; null where the short ones cannot be over
        SELECT *, CASE WHEN short < 1_000_000 THEN since + short * pause END AS later FROM parts
    )
    GROUP BY ALL
), suspended AS (
    SELECT qmgr, cluster, instant, position, lead(instant) OVER w AS fin, suspends, mode FROM (
        SELECT qmgr, cluster, occurred_at AS instant, position,
            type = 'QueueManagerSuspended' AS suspends, body->>'mode' AS mode
        FROM events WHERE type IN ('QueueManagerSuspended', 'QueueManagerResumed')
        UNION ALL
        SELECT e.qmgr, c.cluster, occurred_at, position,
            coalesce(list_contains(json_keys(body, '$.suspended'), c.cluster), false),
            body->'suspended'->>c.cluster
        FROM events AS e JOIN (
            SELECT qmgr, cluster FROM events
            WHERE type IN ('QueueManagerSuspended', 'QueueManagerResumed')
            UNION
            SELECT qmgr, unnest(json_keys(body, '$.suspended')) FROM events
            WHERE type = 'QueueManagerRestored'
        ) AS c USING (qmgr)
        WHERE type IN ('QueueManagerDeleted', 'QueueManagerRestored')
    )
    WINDOW w AS (PARTITION BY qmgr, cluster ORDER BY instant, position)
), lives AS (
    SELECT qmgr, occurred_at AS down, position, type, coalesce(body->>'failed', '') = 'true' AS failed,
        lead(occurred_at) OVER (PARTITION BY qmgr ORDER BY occurred_at, position) AS back
    FROM events WHERE type IN ('QueueManagerStarted', 'QueueManagerEnded')
), ends AS (
    SELECT qmgr, down, position, back, coalesce(back, getvariable('until')) - down >= 2_592_000_000_000
        OR (failed AND NOT EXISTS (FROM suspended AS s WHERE s.qmgr = lives.qmgr AND s.suspends
            AND s.instant <= down AND (s.fin IS NULL OR down < s.fin))) AS lost
    FROM lives WHERE type = 'QueueManagerEnded'
)
, named AS (
    SELECT i.qmgr, i.channel, coalesce(there.cluster, here.cluster, anywhere.cluster) AS cluster,
        tried.partner, began, place, ended, reason, retries, sort
    FROM islands AS i
    JOIN tried USING (qmgr, channel, number)
    LEFT JOIN cluster_names AS there ON there.channel = i.channel AND there.owner = tried.partner
    LEFT JOIN cluster_names AS here ON here.channel = i.channel AND here.owner = i.qmgr
    LEFT JOIN anywhere ON anywhere.channel = i.channel
    WHERE sort IN ('outage', 'stopped') AND began < getvariable('until')
        AND coalesce(ended, getvariable('until')) > getvariable('since')
)
SELECT n.qmgr, n.channel, n.cluster, partner, began, place, ended, reason, retries,
    CASE WHEN sort = 'stopped' THEN 'stopped' WHEN lost THEN 'lost' WHEN down IS NOT NULL THEN 'ended'
        WHEN s.instant IS NOT NULL THEN 'suspended' ELSE 'unreachable' END AS cause,
    cause IN ('stopped', 'ended', 'suspended') AS planned,
    CASE WHEN sort <> 'stopped' THEN coalesce(down, s.instant) END AS caused,
    least(coalesce(ended, getvariable('until')), getvariable('until'))
        - greatest(began, getvariable('since')) AS inside
FROM named AS n
LEFT JOIN ends ON ends.qmgr = partner AND (began, place) > (down, ends.position)
    AND (back IS NULL OR began < back)
LEFT JOIN suspended AS s ON s.suspends AND s.mode = 'FORCE' AND s.qmgr = partner
    AND s.cluster = n.cluster AND (began, place) > (s.instant, s.position)
    AND (s.fin IS NULL OR began < s.fin)
