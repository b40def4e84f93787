-- What changed in the hour before outages began.
WITH places AS (
    SELECT qmgr, channel, began, place, partner, explode(array(qmgr, partner)) AS changed_on
    FROM found WHERE NOT planned AND began >= :since
),
acts AS (
    SELECT t, position, qmgr AS changed_on, kind, name,
        explode(CASE WHEN what IN ('altered', 'observed') THEN attributes ELSE array('') END)
            AS attribute,
        what
    FROM definition_changes WHERE t >= :since - 3600000000
    UNION ALL
    SELECT occurred_at, position, qmgr, 'QMGR', qmgr, '',
        lower(replace(type, 'QueueManager', ''))
    FROM events
    WHERE family IN ('queue_managers', 'restoring')
        AND occurred_at >= :since - 3600000000 AND occurred_at < :until
        AND type IN ('QueueManagerStarted', 'QueueManagerEnded', 'QueueManagerDeleted',
            'QueueManagerRestored')
        AND NOT get_json_object(body, '$.failed') <=> 'true'
    UNION ALL
    SELECT occurred_at, position, qmgr, 'CLUSTER', cluster, '',
        CASE type WHEN 'QueueManagerSuspended' THEN 'suspended'
            WHEN 'QueueManagerResumed' THEN 'resumed'
            WHEN 'RepositoryRefreshed' THEN 'refreshed' ELSE 'reset' END
    FROM events
    WHERE family = 'clusters' AND occurred_at >= :since - 3600000000 AND occurred_at < :until
        AND type IN ('QueueManagerSuspended', 'QueueManagerResumed', 'RepositoryRefreshed',
            'MemberForceRemoved')
    UNION ALL
    SELECT occurred_at, position, qmgr, 'CHANNEL', channel, '', 'stopped'
    FROM events
    WHERE family = 'channels' AND occurred_at >= :since - 3600000000 AND occurred_at < :until
        AND type = 'ChannelStatusChanged' AND status = 'STOPPED' AND coalesce(reason, '') = ''
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
    AND NOT (a.kind = 'QMGR' AND a.what = 'ended' AND p.changed_on <=> p.partner)
