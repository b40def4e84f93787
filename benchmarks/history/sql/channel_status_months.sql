-- How cluster-senders stood, month by month.
WITH periods AS (
    SELECT *, explode(sequence(
        date_trunc('month', timestamp_micros(b)), date_trunc('month', timestamp_micros(e - 1)),
        INTERVAL 1 month)) AS d
    FROM (
        SELECT *, greatest(t, :since) AS b, least(coalesce(u, :until), :until) AS e
        FROM stretches WHERE sort <> 'gone'
    )
    WHERE b < e
),
cut AS (
    SELECT * EXCEPT (b, e), unix_micros(d) AS period,
        greatest(b, unix_micros(d)) AS b, least(e, unix_micros(d + INTERVAL 1 month)) AS e
    FROM periods
),
parts AS (
    SELECT *, e - b AS n, b = t AS first, NOT before <=> sort AS starts,
        CASE WHEN sort IN ('ended', 'unknown') THEN sort WHEN status = 'none' THEN 'INACTIVE'
            WHEN sort = 'up' AND status IN ('STARTING', 'INITIALIZING', 'BINDING') THEN 'starting'
            ELSE status END AS stood,
        e - 1 - since AS upto, b - 1 - since AS before_this,
        coalesce(retries[0], 10) AS short, coalesce(retries[1], 60000000) AS pause,
        coalesce(retries[2], 999999999) AS long, coalesce(retries[3], 1200000000) AS wait
    FROM cut
),
tried AS (
    SELECT *, CASE WHEN stood <> 'RETRYING' THEN 0
        ELSE least(upto div greatest(pause, 1), short)
            + greatest(least((upto - short * pause) div greatest(wait, 1), long), 0)
            - CASE WHEN before_this < 0 THEN 0
                ELSE least(before_this div greatest(pause, 1), short)
                    + greatest(least((before_this - short * pause) div greatest(wait, 1), long), 0)
                END
        END AS tries
    FROM parts
),
sums AS (
    SELECT period, qmgr, channel, partner, sum(n) AS whole,
        coalesce(sum(n) FILTER (WHERE stood = 'RUNNING'), 0) AS running,
        coalesce(sum(n) FILTER (WHERE stood = 'RETRYING'), 0) AS retrying,
        coalesce(sum(n) FILTER (WHERE stood = 'STOPPED'), 0) AS stopped,
        coalesce(sum(n) FILTER (WHERE stood = 'INACTIVE'), 0) AS inactive,
        coalesce(sum(n) FILTER (WHERE stood = 'starting'), 0) AS starting,
        coalesce(sum(n) FILTER (WHERE stood = 'ended'), 0) AS ended,
        coalesce(sum(n) FILTER (WHERE stood = 'unknown'), 0) AS unknown,
        count_if(first AND starts AND sort = 'outage') AS outages,
        count_if(first AND starts AND sort = 'outage' AND t - back < 600000000) AS flaps,
        count_if(first AND starts AND sort IN ('up', 'unknown') AND before = 'outage') AS repairs,
        sum(t - failed) FILTER (
            WHERE first AND starts AND sort IN ('up', 'unknown') AND before = 'outage') AS repairing,
        sum(tries) AS retries,
        coalesce(max(e - greatest(failed, :since, period)) FILTER (WHERE sort = 'outage'), 0)
            AS longest
    FROM tried GROUP BY period, qmgr, channel, partner
),
anywhere AS (
    SELECT channel, min(cluster) AS cluster FROM channel_clusters GROUP BY channel
)
SELECT CAST(timestamp_micros(period) AS DATE) AS month, s.qmgr, s.channel,
    coalesce(there.cluster, here.cluster, anywhere.cluster) AS cluster,
    partner,
    running / 1e6D AS running_s, retrying / 1e6D AS retrying_s, stopped / 1e6D AS stopped_s,
    inactive / 1e6D AS inactive_s,
    starting / 1e6D AS starting_s,
    (whole - running - retrying - stopped - inactive - starting - ended - unknown) / 1e6D
        AS other_s,
    ended / 1e6D AS ended_s, unknown / 1e6D AS unknown_s,
    CASE WHEN whole - ended - unknown - starting > 0
        THEN (running + inactive) / (whole - ended - unknown - starting) END AS availability,
    outages, retries, flaps,
    CASE WHEN outages > 0 THEN (running + inactive) / 1e6D / outages END AS mtbf_s,
    CASE WHEN repairs > 0 THEN repairing / 1e6D / repairs END AS mttr_s,
    longest / 1e6D AS longest_outage_s
FROM sums AS s
LEFT JOIN channel_clusters AS there ON there.channel = s.channel AND there.owner = s.partner
LEFT JOIN channel_clusters AS here ON here.channel = s.channel AND here.owner = s.qmgr
LEFT JOIN anywhere ON anywhere.channel = s.channel
