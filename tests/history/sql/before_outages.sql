-- What changed in the hour before outages began.
WITH definitions_set AS (
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
    SELECT instant, position, qmgr AS on_, kind, name, '' AS attribute,
        CASE type WHEN 'ObjectDefined' THEN 'defined' WHEN 'ObjectDeleted' THEN 'deleted'
            ELSE 'vanished' END AS what
    FROM definitions_set
    WHERE type NOT IN ('ObjectAltered', 'QueueManagerAltered')
    UNION ALL
    SELECT instant, position, qmgr, kind, name, unnest(json_keys(attributes)), 'altered'
    FROM definitions_set
    WHERE type IN ('ObjectAltered', 'QueueManagerAltered')
    UNION ALL
    SELECT instant, position, qmgr, kind, name, attribute, 'observed'
    FROM (
        SELECT *, unnest(list_distinct(list_concat(json_keys(attributes), json_keys(former))))
            AS attribute
        FROM seen WHERE former IS NOT NULL
    )
    WHERE (attributes -> ('$."' || attribute || '"'))
            IS DISTINCT FROM (former -> ('$."' || attribute || '"'))
        AND (kind <> 'QMGR' OR list_contains(json_keys(attributes), attribute))
    UNION ALL
    SELECT occurred_at, position, qmgr, 'QMGR', qmgr, '',
        lower(replace(type, 'QueueManager', ''))
    FROM events
    WHERE type IN ('QueueManagerStarted', 'QueueManagerEnded', 'QueueManagerDeleted',
        'QueueManagerRestored') AND coalesce(body->>'failed', '') <> 'true'
    UNION ALL
    SELECT occurred_at, position, qmgr, 'CLUSTER', cluster, '',
        CASE type WHEN 'QueueManagerSuspended' THEN 'suspended'
            WHEN 'QueueManagerResumed' THEN 'resumed'
            WHEN 'RepositoryRefreshed' THEN 'refreshed' ELSE 'reset' END
    FROM events
    WHERE type IN ('QueueManagerSuspended', 'QueueManagerResumed', 'RepositoryRefreshed',
        'MemberForceRemoved')
    UNION ALL
    SELECT occurred_at, position, qmgr, 'CHANNEL', channel, '', 'stopped'
    FROM events
    WHERE type = 'ChannelStatusChanged' AND status = 'STOPPED' AND coalesce(reason, '') = ''
), places AS (
    SELECT *, qmgr AS on_ FROM found WHERE NOT planned AND began >= getvariable('since')
    UNION ALL SELECT *, partner FROM found WHERE NOT planned AND began >= getvariable('since')
)
SELECT p.qmgr, p.channel, make_timestamp(p.began) AS outage_began,
    make_timestamp(a.instant) AS changed_at, (p.began - a.instant) / 1e6 AS seconds_before,
    p.on_ AS changed_on, a.kind, a.name, a.attribute, a.what
FROM places AS p JOIN acts AS a USING (on_)
WHERE (a.instant, a.position) < (p.began, p.place) AND a.instant >= p.began - 3_600_000_000
    AND NOT (a.kind = 'QMGR' AND a.what = 'ended' AND on_ IS NOT DISTINCT FROM p.partner)
