-- How cluster-senders stood, from one of their changes to the next.
WITH told AS (
    SELECT qmgr, channel, occurred_at AS instant, position, status, coalesce(reason, '') AS reason,
        coalesce(partner, '') AS partner,
        CASE WHEN status = 'RETRYING' THEN json_extract(body, '$.retries')::BIGINT[] END AS retries
    FROM events
    WHERE type = 'ChannelStatusChanged'
), definitions AS (
    SELECT qmgr, name AS channel, occurred_at AS instant, position,
        CASE WHEN type IN ('ObjectDefined', 'ObjectObserved') THEN object_type ELSE 'deleted' END
            AS made
    FROM events
    WHERE type IN ('ObjectDefined', 'ObjectObserved', 'ObjectDeleted', 'ObjectVanished')
        AND kind = 'CHANNEL' AND NOT starts_with(name, 'SYSTEM.')
), senders AS (
    SELECT qmgr, channel FROM told
    UNION SELECT qmgr, channel FROM definitions WHERE made = 'CLUSSDR'
), lives AS (
    SELECT qmgr, occurred_at AS instant, position, type
    FROM events
    WHERE type IN ('QueueManagerStarted', 'QueueManagerEnded', 'QueueManagerDeleted',
        'QueueManagerRestored')
), instants AS (
    SELECT qmgr, channel, instant FROM told
    UNION SELECT qmgr, channel, instant FROM definitions
    UNION SELECT qmgr, channel, instant FROM senders JOIN lives USING (qmgr)
    UNION SELECT qmgr, channel, b FROM senders JOIN covered USING (qmgr)
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
        UNION ALL SELECT qmgr, channel, b, 0 FROM senders JOIN covered USING (qmgr)
    )
    GROUP BY ALL
), stood AS (
    SELECT s.qmgr, s.channel, s.instant, s.fin, changes.place, partners.partner, t.instant AS since,
        t.told.retries AS retries,
        e.instant IS NOT NULL AND (e.instant, e.place) > (t.instant, t.place) AS reset,
        coalesce(t.told.status, 'none') AS told,
        coalesce(t.told.reason, '') AS reason,
        coalesce(types.made, 'automatic') AS made,
        coalesce(phases.last IN ('QueueManagerEnded', 'QueueManagerRestored'), false) AS down,
        coalesce(covered.covered, true) AS covered
    FROM spans AS s
    JOIN changes ON changes.qmgr = s.qmgr AND changes.channel = s.channel AND changes.instant = s.instant
    ASOF LEFT JOIN statuses AS t ON t.qmgr = s.qmgr AND t.channel = s.channel AND s.instant >= t.instant
    ASOF LEFT JOIN types ON types.qmgr = s.qmgr AND types.channel = s.channel AND s.instant >= types.instant
    LEFT JOIN partners ON partners.qmgr = s.qmgr AND partners.channel = s.channel
    ASOF LEFT JOIN ends AS e ON e.qmgr = s.qmgr AND s.instant >= e.instant
    ASOF LEFT JOIN phases ON phases.qmgr = s.qmgr AND s.instant >= phases.instant
    ASOF LEFT JOIN covered ON covered.qmgr = s.qmgr AND s.instant >= covered.b
), settled AS (
    SELECT * REPLACE (CASE WHEN reset AND told <> 'STOPPED' THEN '' ELSE reason END AS reason),
        CASE WHEN reset AND told NOT IN ('STOPPED', 'none') THEN 'INACTIVE' ELSE told END AS status
    FROM stood
), starting AS (
    SELECT *, status IN ('STARTING', 'INITIALIZING', 'BINDING') AND NOT down AS starting
    FROM settled
), runs AS (
    SELECT *, count(*) FILTER (NOT starting) OVER (PARTITION BY qmgr, channel ORDER BY instant)
        AS run
    FROM starting
), timed AS (
    SELECT *, max(coalesce(fin, 4611686018427387904)) FILTER (starting) OVER (PARTITION BY qmgr, channel, run)
        - min(instant) FILTER (starting) OVER (PARTITION BY qmgr, channel, run) AS lasted
    FROM runs
), alone AS (
    SELECT *, CASE
        WHEN made NOT IN ('CLUSSDR', 'automatic', 'deleted') THEN 'gone'
        WHEN made = 'automatic' AND status = 'none' THEN 'gone'
        WHEN made = 'deleted' AND status IN ('none', 'INACTIVE') THEN 'gone'
        WHEN down THEN 'ended'
        WHEN NOT covered AND (status IN ('RUNNING', 'INACTIVE', 'none')
            OR (starting AND lasted <= 127_000_000)) THEN 'unknown'
        WHEN status IN ('RUNNING', 'INACTIVE', 'none') THEN 'up'
        WHEN starting AND lasted <= 127_000_000 THEN 'start'
        WHEN status IN ('STOPPED', 'STOPPING') AND reason = '' THEN 'stopped'
        ELSE 'outage' END AS alone
    FROM timed
), failing AS (
    SELECT *, last_value(CASE WHEN alone NOT IN ('stopped', 'start') THEN alone END IGNORE NULLS)
        OVER (PARTITION BY qmgr, channel ORDER BY instant) AS failing
    FROM alone
), sorted AS (
    SELECT *, CASE WHEN alone IN ('stopped', 'start') AND failing = 'outage' THEN 'outage'
        WHEN alone = 'start' THEN 'up' ELSE alone END AS sort
    FROM failing
), parted AS (
    SELECT *, lag(sort) OVER (PARTITION BY qmgr, channel ORDER BY instant) AS before FROM sorted
)
SELECT *, count(*) FILTER (before IS DISTINCT FROM sort)
    OVER (PARTITION BY qmgr, channel ORDER BY instant) AS number
FROM parted
