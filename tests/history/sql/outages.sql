-- Outages and planned stops of cluster-senders.
WITH told AS (
    SELECT qmgr, channel, occurred_at AS instant, position, status, coalesce(reason, '') AS reason,
        coalesce(partner, '') AS partner,
        CASE WHEN status = 'RETRYING' THEN json_extract(body, '$.retries')::BIGINT[] END AS retries
    FROM events
    WHERE type = 'ChannelStatusChanged' AND occurred_at < getvariable('until')
), definitions AS (
    SELECT qmgr, name AS channel, occurred_at AS instant, position,
        CASE WHEN type IN ('ObjectDefined', 'ObjectObserved') THEN object_type ELSE 'deleted' END
            AS made
    FROM events
    WHERE type IN ('ObjectDefined', 'ObjectObserved', 'ObjectDeleted', 'ObjectVanished')
        AND kind = 'CHANNEL' AND NOT starts_with(name, 'SYSTEM.')
        AND occurred_at < getvariable('until')
), senders AS (
    SELECT qmgr, channel FROM told
    UNION SELECT qmgr, channel FROM definitions WHERE made = 'CLUSSDR'
), lives AS (
    SELECT qmgr, occurred_at AS instant, position, type
    FROM events
    WHERE type IN ('QueueManagerStarted', 'QueueManagerEnded', 'QueueManagerDeleted',
        'QueueManagerRestored') AND occurred_at < getvariable('until')
), instants AS (
    SELECT qmgr, channel, instant FROM told
    UNION SELECT qmgr, channel, instant FROM definitions
    UNION SELECT qmgr, channel, instant FROM senders JOIN lives USING (qmgr)
), spans AS (
    SELECT qmgr, channel, instant, lead(instant) OVER (PARTITION BY qmgr, channel ORDER BY instant) AS fin
    FROM instants
), statuses AS (
    SELECT qmgr, channel, instant, max(position) AS place,
        arg_max({status: status, reason: reason, retries: retries}, position) AS told
    FROM (
        SELECT qmgr, channel, instant, position, status, reason, retries FROM told
        UNION ALL
        SELECT qmgr, channel, instant, position,
            CASE type WHEN 'QueueManagerDeleted' THEN 'none' ELSE 'INACTIVE' END, '', NULL
        FROM senders JOIN lives USING (qmgr)
        WHERE type IN ('QueueManagerDeleted', 'QueueManagerRestored')
    )
    GROUP BY ALL
), types AS (
    SELECT qmgr, channel, instant, arg_max(made, position) AS made
    FROM (
        FROM definitions
        UNION ALL
        SELECT qmgr, channel, instant, position, 'automatic'
        FROM senders JOIN lives USING (qmgr) WHERE type = 'QueueManagerDeleted'
    )
    GROUP BY ALL
), ends AS (
    SELECT qmgr, instant, max(position) AS place FROM lives
    WHERE type = 'QueueManagerEnded' GROUP BY ALL
), phases AS (
    SELECT qmgr, instant, arg_max(type, position) AS last FROM lives GROUP BY ALL
), partners AS (
    SELECT qmgr, channel, arg_max(partner, (instant, position)) AS partner
    FROM told WHERE partner <> '' GROUP BY ALL
), changes AS (
    SELECT qmgr, channel, instant, max(position) AS place
    FROM (
        SELECT qmgr, channel, instant, position FROM told
        UNION ALL SELECT qmgr, channel, instant, position FROM definitions
        UNION ALL SELECT qmgr, channel, instant, position FROM senders JOIN lives USING (qmgr)
    )
    GROUP BY ALL
), stood AS (
    SELECT s.qmgr, s.channel, s.instant, s.fin, changes.place, partners.partner, t.instant AS since,
        t.told.retries AS retries,
        e.instant IS NOT NULL AND (e.instant, e.place) > (t.instant, t.place) AS reset,
        coalesce(t.told.status, 'none') AS told,
        coalesce(t.told.reason, '') AS reason,
        coalesce(types.made, 'automatic') AS made,
        coalesce(phases.last IN ('QueueManagerEnded', 'QueueManagerRestored'), false) AS down
    FROM spans AS s
    JOIN changes ON changes.qmgr = s.qmgr AND changes.channel = s.channel AND changes.instant = s.instant
    ASOF LEFT JOIN statuses AS t ON t.qmgr = s.qmgr AND t.channel = s.channel AND s.instant >= t.instant
    ASOF LEFT JOIN types ON types.qmgr = s.qmgr AND types.channel = s.channel AND s.instant >= types.instant
    LEFT JOIN partners ON partners.qmgr = s.qmgr AND partners.channel = s.channel
    ASOF LEFT JOIN ends AS e ON e.qmgr = s.qmgr AND s.instant >= e.instant
    ASOF LEFT JOIN phases ON phases.qmgr = s.qmgr AND s.instant >= phases.instant
), settled AS (
    SELECT * REPLACE (CASE WHEN reset AND told <> 'STOPPED' THEN '' ELSE reason END AS reason),
        CASE WHEN reset AND told NOT IN ('STOPPED', 'none') THEN 'INACTIVE' ELSE told END AS status
    FROM stood
), alone AS (
    SELECT *, CASE
        WHEN made NOT IN ('CLUSSDR', 'automatic', 'deleted') THEN 'gone'
        WHEN made = 'automatic' AND status = 'none' THEN 'gone'
        WHEN made = 'deleted' AND status IN ('none', 'INACTIVE') THEN 'gone'
        WHEN down THEN 'ended'
        WHEN status IN ('RUNNING', 'INACTIVE', 'none') THEN 'up'
        WHEN status IN ('STOPPED', 'STOPPING') AND reason = '' THEN 'stopped'
        ELSE 'outage' END AS alone
    FROM settled
), failing AS (
    SELECT *, last_value(CASE WHEN alone <> 'stopped' THEN alone END IGNORE NULLS)
        OVER (PARTITION BY qmgr, channel ORDER BY instant) AS failing
    FROM alone
), sorted AS (
    SELECT *, CASE WHEN alone = 'stopped' AND failing = 'outage' THEN 'outage' ELSE alone END
        AS sort
    FROM failing
), parted AS (
    SELECT *, lag(sort) OVER (PARTITION BY qmgr, channel ORDER BY instant) AS before FROM sorted
), numbered AS (
    SELECT *, count(*) FILTER (before IS DISTINCT FROM sort)
        OVER (PARTITION BY qmgr, channel ORDER BY instant) AS number
    FROM parted
), islands AS (
    SELECT qmgr, channel, number, any_value(sort) AS sort, min(instant) AS began,
        CASE WHEN bool_or(fin IS NULL) THEN NULL ELSE max(fin) END AS ended,
        arg_min(place, instant) AS place
    FROM numbered GROUP BY ALL
), cluster_names AS (
    SELECT channel, owner, min(cluster) AS cluster
    FROM (
        SELECT json_extract_string(record, '$.name') AS channel, qmgr AS owner, cluster
        FROM (
            SELECT qmgr, cluster, unnest(json_extract(body, '$.records[*]')) AS record
            FROM events
            WHERE type = 'InformationPublished' AND occurred_at < getvariable('until')
        )
        WHERE json_extract_string(record, '$.kind') = 'qmgr'
        UNION ALL
        SELECT name, qmgr, json_extract_string(body, '$.values.CLUSTER')
        FROM events
        WHERE family = 'objects' AND kind = 'CHANNEL' AND occurred_at < getvariable('until')
    )
    WHERE cluster <> ''
    GROUP BY ALL
), anywhere AS (
    SELECT channel, min(cluster) AS cluster FROM cluster_names GROUP BY ALL
), parts AS (
    SELECT *, coalesce(fin, getvariable('until')) AS e,
        coalesce(retries[1], 10) AS short, coalesce(retries[2], 60_000_000) AS pause,
        coalesce(retries[3], 999_999_999) AS long, coalesce(retries[4], 1_200_000_000) AS wait
    FROM numbered
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
)
SELECT i.qmgr, i.channel, coalesce(there.cluster, here.cluster, anywhere.cluster) AS cluster,
    partner, make_timestamp(began) AS began, make_timestamp(ended) AS ended,
    (coalesce(ended, getvariable('until')) - began) / 1e6 AS seconds,
    reason, retries, sort = 'stopped' AS planned
FROM islands AS i
JOIN tried USING (qmgr, channel, number)
LEFT JOIN cluster_names AS there ON there.channel = i.channel AND there.owner = partner
LEFT JOIN cluster_names AS here ON here.channel = i.channel AND here.owner = i.qmgr
LEFT JOIN anywhere ON anywhere.channel = i.channel
WHERE sort IN ('outage', 'stopped')
    AND coalesce(ended, getvariable('until')) > getvariable('since')
