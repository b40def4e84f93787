-- What changed in the hour before outages began.
WITH places AS (
    SELECT qmgr, channel, began.t AS began, began.position AS place,
        inline(array(struct(qmgr AS changed_on, partner AS peer),
            struct(partner AS changed_on, qmgr AS peer)))
    FROM stretches
    WHERE sort = 'outage' AND NOT before <=> sort AND t >= :since
),
acts AS (
    SELECT t, position, qmgr AS changed_on, CAST(NULL AS STRING) AS other, kind, name,
        explode(CASE WHEN what IN ('altered', 'observed') THEN attributes ELSE array('') END)
            AS attribute,
        what
    FROM definition_changes WHERE t >= :since - 3600000000
    UNION ALL
    SELECT occurred_at, position, qmgr, NULL, 'QMGR', qmgr, '',
        lower(replace(type, 'QueueManager', ''))
    FROM events
    WHERE family IN ('queue_managers', 'restoring')
        AND occurred_at >= :since - 3600000000 AND occurred_at < :until
        AND type IN ('QueueManagerStarted', 'QueueManagerEnded', 'QueueManagerDeleted',
            'QueueManagerRestored')
    UNION ALL
    SELECT occurred_at, position, qmgr, NULL, 'CLUSTER', cluster, '',
        CASE type WHEN 'QueueManagerSuspended' THEN 'suspended'
            WHEN 'QueueManagerResumed' THEN 'resumed'
            WHEN 'RepositoryRefreshed' THEN 'refreshed' ELSE 'reset' END
    FROM events
    WHERE family = 'clusters' AND occurred_at >= :since - 3600000000 AND occurred_at < :until
        AND type IN ('QueueManagerSuspended', 'QueueManagerResumed', 'RepositoryRefreshed',
            'MemberForceRemoved')
    UNION ALL
    SELECT occurred_at, position, qmgr, NULL, 'CHANNEL', channel, '', 'stopped'
    FROM events
    WHERE family = 'channels' AND occurred_at >= :since - 3600000000 AND occurred_at < :until
        AND type = 'ChannelStatusChanged' AND status = 'STOPPED' AND coalesce(reason, '') = ''
    UNION ALL
    SELECT t, position, qmgr, other, 'LINK', other, '',
        CASE cut WHEN 'true' THEN 'cut' ELSE 'healed' END
    FROM (
        SELECT occurred_at AS t, position, qmgr, get_json_object(body, '$.other') AS other,
            get_json_object(body, '$.cut') AS cut
        FROM events
        WHERE family = 'commands' AND type = 'LinkChanged'
            AND occurred_at >= :since - 3600000000 AND occurred_at < :until
    )
    WHERE cut IS NOT NULL
),
hours AS (
    SELECT *, explode(array(began div 3600000000, began div 3600000000 - 1)) AS hour
    FROM places WHERE changed_on IS NOT NULL
)
SELECT p.qmgr, p.channel, timestamp_micros(p.began) AS outage_began,
    timestamp_micros(a.t) AS changed_at, (p.began - a.t) / 1e6D AS seconds_before, a.changed_on,
    a.kind, a.name, a.attribute, a.what
FROM hours AS p
JOIN acts AS a ON a.changed_on = p.changed_on AND a.t div 3600000000 = p.hour
WHERE a.t >= p.began - 3600000000
    AND (a.t < p.began OR (a.t = p.began AND a.position < p.place))
    AND (a.other IS NULL OR a.other = p.peer)
