-- How each cluster-sender stood, from one of its changes to the next.
WITH statuses AS (
    SELECT qmgr, channel, occurred_at AS t, position, status, coalesce(reason, '') AS reason,
        nullif(partner, '') AS partner,
        CASE WHEN status = 'RETRYING'
            THEN from_json(get_json_object(body, '$.retries'), 'array<bigint>') END AS retries
    FROM events
    WHERE family = 'channels' AND type = 'ChannelStatusChanged'
),
definitions AS (
    SELECT qmgr, name AS channel, occurred_at AS t, position,
        CASE WHEN type IN ('ObjectDefined', 'ObjectObserved') THEN object_type ELSE 'deleted' END
            AS made
    FROM events
    WHERE family = 'objects' AND kind = 'CHANNEL'
        AND type IN ('ObjectDefined', 'ObjectObserved', 'ObjectDeleted', 'ObjectVanished')
        AND NOT startswith(name, 'SYSTEM.')
),
senders AS (
    SELECT qmgr, channel FROM statuses
    UNION SELECT qmgr, channel FROM definitions WHERE made = 'CLUSSDR'
),
lives AS (
    SELECT qmgr, occurred_at AS t, position, type FROM events
    WHERE family IN ('queue_managers', 'restoring')
        AND type IN ('QueueManagerStarted', 'QueueManagerEnded', 'QueueManagerDeleted',
            'QueueManagerRestored')
),
changes AS (
    SELECT qmgr, channel, t, position, status, reason, partner, retries,
        CAST(NULL AS STRING) AS made, CAST(NULL AS BOOLEAN) AS down, false AS reset,
        CAST(NULL AS BOOLEAN) AS covered
    FROM statuses
    UNION ALL
    SELECT qmgr, channel, t, position, NULL, NULL, NULL, NULL, made, NULL, NULL, NULL
    FROM definitions
    UNION ALL
    SELECT qmgr, channel, b, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, covered
    FROM senders JOIN (
        SELECT qmgr, b, covered FROM covered
        LEFT SEMI JOIN (SELECT qmgr FROM covered WHERE basis = 'observed') USING (qmgr)
    ) USING (qmgr)
    UNION ALL
    SELECT qmgr, channel, t, position,
        CASE type WHEN 'QueueManagerDeleted' THEN 'none'
            WHEN 'QueueManagerRestored' THEN 'INACTIVE' END,
        '', NULL, NULL, CASE type WHEN 'QueueManagerDeleted' THEN 'automatic' END,
        type IN ('QueueManagerEnded', 'QueueManagerRestored'),
        CASE type WHEN 'QueueManagerEnded' THEN true WHEN 'QueueManagerStarted' THEN NULL
            ELSE false END,
        NULL
    FROM senders JOIN lives USING (qmgr)
),
known AS (
    SELECT qmgr, channel, t, position, lead(t) OVER ordered AS u,
        last(CASE WHEN status IS NOT NULL
            THEN struct(status, reason, retries, t AS since) END, true) OVER so_far AS told,
        coalesce(last(reset, true) OVER so_far, false) AS reset,
        coalesce(last(made, true) OVER so_far, 'automatic') AS made,
        coalesce(last(down, true) OVER so_far, false) AS down,
        coalesce(last(covered, true) OVER so_far, true) AS covered,
        last(partner, true) OVER ever AS partner
    FROM changes
    WINDOW ordered AS (PARTITION BY qmgr, channel ORDER BY t, position),
        so_far AS (PARTITION BY qmgr, channel ORDER BY t, position
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
        ever AS (PARTITION BY qmgr, channel ORDER BY t, position
            ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
),
settled AS (
    SELECT qmgr, channel, t, position, u, partner, told.since, told.retries, made, down, covered,
        CASE WHEN told IS NULL THEN 'none'
            WHEN reset AND told.status NOT IN ('STOPPED', 'none') THEN 'INACTIVE'
            ELSE told.status END AS status,
        CASE WHEN reset AND told.status <> 'STOPPED' THEN ''
            ELSE coalesce(told.reason, '') END AS reason
    FROM known WHERE u IS NULL OR t < u
),
starting AS (
    SELECT *, status IN ('STARTING', 'INITIALIZING', 'BINDING') AND NOT down AS starting
    FROM settled
),
runs AS (
    SELECT *, count_if(NOT starting) OVER (PARTITION BY qmgr, channel ORDER BY t) AS run
    FROM starting
),
timed AS (
    SELECT *, starting AND max(coalesce(u, 4611686018427387904)) FILTER (WHERE starting) OVER whole
        - min(t) FILTER (WHERE starting) OVER whole <= 127000000 AS short
    FROM runs
    WINDOW whole AS (PARTITION BY qmgr, channel, run)
),
alone AS (
    SELECT *, CASE
        WHEN made NOT IN ('CLUSSDR', 'automatic', 'deleted') THEN 'gone'
        WHEN made = 'automatic' AND status = 'none' THEN 'gone'
        WHEN made = 'deleted' AND status IN ('none', 'INACTIVE') THEN 'gone'
        WHEN down THEN 'ended'
        WHEN NOT covered AND (short OR status IN ('RUNNING', 'INACTIVE', 'none')) THEN 'unknown'
        WHEN status IN ('RUNNING', 'INACTIVE', 'none') THEN 'up'
        WHEN short THEN 'start'
        WHEN status IN ('STOPPED', 'STOPPING') AND reason = '' THEN 'stopped'
        ELSE 'outage' END AS alone
    FROM timed
),
sorted AS (
    SELECT *, CASE WHEN alone IN ('stopped', 'start') AND failing = 'outage' THEN 'outage'
        WHEN alone = 'start' THEN 'up' ELSE alone END AS sort
    FROM (
        SELECT *, last(IF(alone IN ('stopped', 'start'), NULL, alone), true) OVER (
            PARTITION BY qmgr, channel ORDER BY t, position
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS failing
        FROM alone
    )
),
parted AS (
    SELECT *, lag(sort) OVER (PARTITION BY qmgr, channel ORDER BY t, position) AS before
    FROM sorted
)
SELECT qmgr, channel, t, u, partner, since, retries, status, reason, sort, before,
    count_if(NOT before <=> sort) OVER so_far AS number,
    last(CASE WHEN NOT before <=> sort THEN struct(t, position) END, true) OVER so_far AS began,
    last(CASE WHEN sort = 'outage' AND NOT before <=> sort THEN t END, true) OVER so_far AS failed,
    last(CASE WHEN status = 'RUNNING' AND sort = 'up' AND before = 'outage' THEN t END, true)
        OVER so_far AS back
FROM parted
WINDOW so_far AS (PARTITION BY qmgr, channel ORDER BY t, position
    ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
