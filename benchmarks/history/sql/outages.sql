-- Outages and planned stops of cluster-senders that touch the window.
WITH parts AS (
    SELECT *, coalesce(u, :until) - since AS upto, t - 1 - since AS before_this,
        coalesce(retries[0], 10) AS short, coalesce(retries[1], 60000000) AS pause,
        coalesce(retries[2], 999999999) AS long, coalesce(retries[3], 1200000000) AS wait
    FROM stretches WHERE sort IN ('outage', 'stopped')
),
tried AS (
    SELECT *, CASE WHEN status <> 'RETRYING' THEN 0
        ELSE least((upto - 1) div greatest(pause, 1), short)
            + greatest(least((upto - 1 - short * pause) div greatest(wait, 1), long), 0)
            - CASE WHEN before_this < 0 THEN 0
                ELSE least(before_this div greatest(pause, 1), short)
                    + greatest(least((before_this - short * pause) div greatest(wait, 1), long), 0)
                END
        END AS tries
    FROM parts
),
found AS (
    SELECT qmgr, channel, partner, began.t AS began, sort = 'stopped' AS planned,
        CASE WHEN count_if(u IS NULL) = 0 THEN max(u) END AS ended,
        min_by(reason, CASE WHEN reason <> '' THEN t END) AS reason, sum(tries) AS retries
    FROM tried GROUP BY qmgr, channel, partner, began, sort
),
anywhere AS (
    SELECT channel, min(cluster) AS cluster FROM channel_clusters GROUP BY channel
)
SELECT f.qmgr, f.channel, coalesce(there.cluster, here.cluster, anywhere.cluster) AS cluster,
    partner, timestamp_micros(began) AS began, timestamp_micros(ended) AS ended,
    (coalesce(ended, :until) - began) / 1e6D AS seconds, reason, retries, planned
FROM found AS f
LEFT JOIN channel_clusters AS there ON there.channel = f.channel AND there.owner = partner
LEFT JOIN channel_clusters AS here ON here.channel = f.channel AND here.owner = f.qmgr
LEFT JOIN anywhere ON anywhere.channel = f.channel
WHERE ended IS NULL OR ended > :since
