-- Switches of transmission queues that went on in the window.
WITH told AS (
    SELECT qmgr, channel, occurred_at AS t, position, type, queue, to, count,
        CASE WHEN type = 'TransmissionQueueSwitched'
            THEN coalesce(CAST(get_json_object(body, '$.stranded') AS BIGINT), 0) END AS stranded
    FROM events
    WHERE family IN ('channels', 'messages') AND occurred_at < :until
        AND type IN ('TransmissionQueueSwitchBegan', 'TransmissionQueueSwitched',
            'TransmissionQueueAssigned', 'MessagesSwitched')
),
spans AS (
    SELECT *, count_if(type <> 'MessagesSwitched') OVER (
        PARTITION BY qmgr, channel ORDER BY t, position
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS span
    FROM told
),
turns AS (
    SELECT qmgr, channel, span,
        max(CASE WHEN type <> 'MessagesSwitched' THEN type END) AS type,
        max(CASE WHEN type <> 'MessagesSwitched' THEN t END) AS t,
        max(CASE WHEN type <> 'MessagesSwitched' THEN queue END) AS queue,
        max(to) AS new, coalesce(max(stranded), 0) AS stranded,
        coalesce(sum(CASE WHEN type = 'MessagesSwitched' THEN count END), 0) AS moved
    FROM spans GROUP BY qmgr, channel, span
),
pairs AS (
    SELECT *,
        lead(struct(type, t, stranded)) OVER (PARTITION BY qmgr, channel ORDER BY span) AS next,
        lag(struct(type, queue)) OVER (PARTITION BY qmgr, channel ORDER BY span) AS before
    FROM turns WHERE span > 0
),
found AS (
    SELECT qmgr, channel, queue AS from_queue, new AS to_queue, t,
        CASE WHEN next.type = 'TransmissionQueueSwitched' THEN next.t END AS u, moved,
        CASE WHEN next.type = 'TransmissionQueueSwitched' THEN next.stranded ELSE 0 END
            AS stranded
    FROM pairs WHERE type = 'TransmissionQueueSwitchBegan'
    UNION ALL
    SELECT qmgr, channel, coalesce(before.queue, 'SYSTEM.CLUSTER.TRANSMIT.QUEUE'), queue, t, t, 0,
        stranded
    FROM pairs
    WHERE type = 'TransmissionQueueSwitched'
        AND NOT before.type <=> 'TransmissionQueueSwitchBegan'
)
SELECT qmgr, channel, from_queue, to_queue, timestamp_micros(t) AS began,
    timestamp_micros(u) AS ended, (coalesce(u, :until) - greatest(t, :since)) / 1e6D AS lasted_s,
    moved, stranded
FROM found WHERE u IS NULL OR u >= :since
