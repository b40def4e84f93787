-- What changed in the hour before outages began.
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
), outages AS (
    SELECT i.qmgr, i.channel, i.began, i.place,
        arg_max({partner: n.partner}, n.instant).partner AS partner
    FROM islands AS i JOIN numbered AS n USING (qmgr, channel, number)
    WHERE i.sort = 'outage' AND i.began >= getvariable('since')
    GROUP BY ALL
), definitions_set AS (
    SELECT occurred_at AS instant, position, qmgr, coalesce(kind, 'QMGR') AS kind,
        coalesce(name, qmgr) AS name, type, json_extract(body, '$.values') AS attributes
    FROM events
    WHERE type IN ('ObjectDefined', 'ObjectAltered', 'ObjectDeleted', 'ObjectVanished',
        'QueueManagerAltered') AND occurred_at < getvariable('until')
), seen AS (
    SELECT *, lag(attributes) OVER (PARTITION BY qmgr, kind, name ORDER BY instant, position) AS former
    FROM (
        SELECT occurred_at AS instant, position, qmgr, coalesce(kind, 'QMGR') AS kind,
            coalesce(name, qmgr) AS name, json_extract(body, '$.values') AS attributes
        FROM events
        WHERE type IN ('ObjectObserved', 'QueueManagerObserved')
            AND occurred_at < getvariable('until')
    )
), acts AS (
    SELECT instant, position, qmgr AS on_, NULL AS other, kind, name, '' AS attribute,
        CASE type WHEN 'ObjectDefined' THEN 'defined' WHEN 'ObjectDeleted' THEN 'deleted'
            ELSE 'vanished' END AS what
    FROM definitions_set
    WHERE type NOT IN ('ObjectAltered', 'QueueManagerAltered')
    UNION ALL
    SELECT instant, position, qmgr, NULL, kind, name, unnest(json_keys(attributes)), 'altered'
    FROM definitions_set
    WHERE type IN ('ObjectAltered', 'QueueManagerAltered')
    UNION ALL
    SELECT instant, position, qmgr, NULL, kind, name, attribute, 'observed'
    FROM (
        SELECT *, unnest(list_distinct(list_concat(json_keys(attributes), json_keys(former))))
            AS attribute
        FROM seen WHERE former IS NOT NULL
    )
    WHERE (attributes -> ('$."' || attribute || '"'))
            IS DISTINCT FROM (former -> ('$."' || attribute || '"'))
        AND (kind <> 'QMGR' OR list_contains(json_keys(attributes), attribute))
    UNION ALL
    SELECT occurred_at, position, qmgr, NULL, 'QMGR', qmgr, '',
        lower(replace(type, 'QueueManager', ''))
    FROM events
    WHERE type IN ('QueueManagerStarted', 'QueueManagerEnded', 'QueueManagerDeleted',
        'QueueManagerRestored')
    UNION ALL
    SELECT occurred_at, position, qmgr, NULL, 'CLUSTER', cluster, '',
        CASE type WHEN 'QueueManagerSuspended' THEN 'suspended'
            WHEN 'QueueManagerResumed' THEN 'resumed'
            WHEN 'RepositoryRefreshed' THEN 'refreshed' ELSE 'reset' END
    FROM events
    WHERE type IN ('QueueManagerSuspended', 'QueueManagerResumed', 'RepositoryRefreshed',
        'MemberForceRemoved')
    UNION ALL
    SELECT occurred_at, position, qmgr, NULL, 'CHANNEL', channel, '', 'stopped'
    FROM events
    WHERE type = 'ChannelStatusChanged' AND status = 'STOPPED' AND coalesce(reason, '') = ''
    UNION ALL
    SELECT occurred_at, position, qmgr, json_extract_string(body, '$.other'), 'LINK',
        json_extract_string(body, '$.other'), '',
        CASE json_extract_string(body, '$.cut') WHEN 'true' THEN 'cut' ELSE 'healed' END
    FROM events
    WHERE type = 'LinkChanged' AND json_extract_string(body, '$.cut') IS NOT NULL
), places AS (
    SELECT *, qmgr AS on_, partner AS peer FROM outages
    UNION ALL SELECT *, partner, qmgr FROM outages
)
SELECT p.qmgr, p.channel, make_timestamp(p.began) AS outage_began,
    make_timestamp(a.instant) AS changed_at, (p.began - a.instant) / 1e6 AS seconds_before,
    p.on_ AS changed_on, a.kind, a.name, a.attribute, a.what
FROM places AS p JOIN acts AS a USING (on_)
WHERE (a.instant, a.position) < (p.began, p.place) AND a.instant >= p.began - 3_600_000_000
    AND (a.other IS NULL OR a.other = p.peer)
