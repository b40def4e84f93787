WITH steps AS (
    SELECT occurred_at, position, qmgr, channel, type, queue, "to", "count", reason, body
    FROM events
    WHERE occurred_at < getvariable('until') AND type IN ('TransmissionQueueSwitchBegan',
        'TransmissionQueueSwitched', 'TransmissionQueueSwitchStopped', 'TransmissionQueueAssigned',
        'MessagesSwitched')
),
told AS (
    SELECT *, type NOT IN ('MessagesSwitched', 'TransmissionQueueSwitchStopped') AS turns FROM steps
    UNION ALL
    SELECT e.occurred_at, e.position, e.qmgr, c.channel, e.type, NULL, NULL, NULL, NULL, e.body, true
    FROM events AS e JOIN (SELECT DISTINCT qmgr, channel FROM steps) AS c ON c.qmgr = e.qmgr
    WHERE e.type = 'QueueManagerDeleted' AND e.occurred_at < getvariable('until')
),
spans AS (
    SELECT *, count(*) FILTER (turns) OVER (
        PARTITION BY qmgr, channel ORDER BY occurred_at, position) AS span
    FROM told
),
turns AS (
    SELECT qmgr, channel, span,
        first(type ORDER BY occurred_at, position) FILTER (turns) AS type,
        max(occurred_at) FILTER (turns) AS instant,
        max(queue) FILTER (turns) AS queue,
        max("to") AS new,
        coalesce(max((body->>'stranded')::BIGINT), 0) AS stranded,
        coalesce(sum("count") FILTER (type = 'MessagesSwitched'), 0)::BIGINT AS moved,
        (list(reason::INT ORDER BY occurred_at, position)
            FILTER (type = 'TransmissionQueueSwitchStopped'))[-1] AS stopped
    FROM spans GROUP BY ALL
),
pairs AS (
    SELECT a.*, b.type AS next_type, b.instant AS next_at, b.stranded AS next_stranded,
        z.type AS last_type, z.queue AS last_queue
    FROM turns AS a
    LEFT JOIN turns AS b ON b.qmgr = a.qmgr AND b.channel = a.channel AND b.span = a.span + 1
    LEFT JOIN turns AS z ON z.qmgr = a.qmgr AND z.channel = a.channel AND z.span = a.span - 1
        AND z.span > 0
    WHERE a.span > 0
),
found AS (
    SELECT qmgr, channel, queue AS from_queue, new AS to_queue, instant AS t, next_at AS u, moved,
        CASE WHEN next_type = 'TransmissionQueueSwitched' THEN next_stranded ELSE 0 END AS stranded,
        stopped
    FROM pairs WHERE type = 'TransmissionQueueSwitchBegan'
    UNION ALL
    SELECT qmgr, channel, coalesce(last_queue, 'SYSTEM.CLUSTER.TRANSMIT.QUEUE'), queue, instant, instant,
        0, stranded, NULL
    FROM pairs WHERE type = 'TransmissionQueueSwitched'
        AND last_type IS DISTINCT FROM 'TransmissionQueueSwitchBegan'
)
SELECT qmgr, channel, from_queue, to_queue, make_timestamp(t) AS began, make_timestamp(u) AS ended,
    (coalesce(u, getvariable('until')) - greatest(t, getvariable('since'))) / 1e6 AS lasted_s,
    moved, stranded, stopped
FROM found WHERE u IS NULL OR u >= getvariable('since')
