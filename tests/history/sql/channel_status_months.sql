-- How cluster-senders stood, month by month.
WITH given AS (
    SELECT *, greatest(instant, getvariable('since')) AS b,
        least(coalesce(fin, getvariable('until')), getvariable('until')) AS e
    FROM numbered
    WHERE sort <> 'gone'
), periods AS (
    SELECT *, unnest(generate_series(
        date_trunc('month', make_timestamp(b)),
        date_trunc('month', make_timestamp(e - 1)),
        INTERVAL 1 month)) AS period
    FROM given WHERE b < e
), parts AS (
    SELECT * REPLACE (
            greatest(b, epoch_us(period)) AS b,
            least(e, epoch_us(period + INTERVAL 1 month)) AS e),
        sort <> 'ended' AND status = 'RETRYING' AS trying,
        sort NOT IN ('ended', 'unknown') AS said,
        sort = 'up' AND status IN ('STARTING', 'INITIALIZING', 'BINDING') AS starts,
        coalesce(retries[1], 10) AS short, coalesce(retries[2], 60_000_000) AS pause,
        coalesce(retries[3], 999_999_999) AS long, coalesce(retries[4], 1_200_000_000) AS wait
    FROM periods
), tried AS (
    SELECT *,
        -- attempt k is due at since + k * pause, the first of the long ones after all short ones;
        -- the product is null where the short ones cannot be over
        CASE WHEN short < 1_000_000 THEN since + short * pause END AS later,
        CASE WHEN trying THEN
            greatest(0, least(short, (e - since + pause - 1) // pause - 1)
                - greatest(1, (b - since + pause - 1) // pause) + 1)
            + coalesce(greatest(0, least(long, (greatest(e - later, 0) + wait - 1) // wait - 1)
                - greatest(1, (greatest(b - later, 0) + wait - 1) // wait) + 1), 0)
        ELSE 0 END AS tries
    FROM parts
), lengths AS (
    SELECT qmgr, channel, period, number, max(e) - min(b) AS length
    FROM parts WHERE sort = 'outage' GROUP BY ALL
), longest AS (
    SELECT qmgr, channel, period, max(length) AS longest FROM lengths GROUP BY ALL
), starts AS (
    SELECT qmgr, channel, date_trunc('month', make_timestamp(began)) AS period,
        count(*) AS outages, count(*) FILTER (began - back < 600_000_000) AS flaps
    FROM (
        SELECT i.qmgr, i.channel, i.began, r.back
        FROM (FROM islands WHERE sort = 'outage') AS i
        ASOF LEFT JOIN (
            SELECT qmgr, channel, instant AS back FROM numbered
            WHERE status = 'RUNNING' AND sort = 'up' AND before = 'outage'
        ) AS r ON r.qmgr = i.qmgr AND r.channel = i.channel AND i.began >= r.back
    )
    WHERE began >= getvariable('since') AND began < getvariable('until')
    GROUP BY ALL
), repairs AS (
    SELECT i.qmgr, i.channel, date_trunc('month', make_timestamp(i.ended)) AS period,
        count(*) AS repairs, sum(i.ended - i.began) AS repairing
    FROM islands AS i
    JOIN islands AS n ON n.qmgr = i.qmgr AND n.channel = i.channel AND n.number = i.number + 1
    WHERE i.sort = 'outage' AND n.sort IN ('up', 'unknown') AND i.ended >= getvariable('since')
        AND i.ended < getvariable('until')
    GROUP BY ALL
), sums AS (
    SELECT period, qmgr, channel, partner,
        coalesce(sum(e - b) FILTER (said AND status = 'RUNNING'), 0) AS running,
        coalesce(sum(e - b) FILTER (said AND status = 'RETRYING'), 0) AS retrying,
        coalesce(sum(e - b) FILTER (said AND status = 'STOPPED'), 0) AS stopped,
        coalesce(sum(e - b) FILTER (said AND status IN ('INACTIVE', 'none')), 0)
            AS inactive,
        coalesce(sum(e - b) FILTER (said AND starts), 0) AS starting,
        coalesce(sum(e - b) FILTER (sort = 'ended'), 0) AS ended,
        coalesce(sum(e - b) FILTER (sort = 'unknown'), 0) AS unknown,
        sum(e - b) AS whole,
        sum(tries)::BIGINT AS retries
    FROM tried GROUP BY ALL
)
SELECT period::DATE AS month, s.qmgr, s.channel,
    coalesce(there.cluster, here.cluster, anywhere.cluster) AS cluster,
    partner,
    running / 1e6 AS running_s, retrying / 1e6 AS retrying_s, stopped / 1e6 AS stopped_s,
    inactive / 1e6 AS inactive_s,
    starting / 1e6 AS starting_s,
    (whole - running - retrying - stopped - inactive - starting - ended - unknown) / 1e6
        AS other_s,
    ended / 1e6 AS ended_s, unknown / 1e6 AS unknown_s,
    CASE WHEN whole - ended - unknown - starting > 0
        THEN (running + inactive) / (whole - ended - unknown - starting)::DOUBLE END
        AS availability,
    coalesce(outages, 0) AS outages, retries, coalesce(flaps, 0) AS flaps,
    (running + inactive) / 1e6 / nullif(outages, 0) AS mtbf_s,
    repairing / 1e6 / nullif(repairs, 0) AS mttr_s,
    coalesce(longest, 0) / 1e6 AS longest_outage_s
FROM sums AS s
LEFT JOIN starts USING (qmgr, channel, period)
LEFT JOIN repairs USING (qmgr, channel, period)
LEFT JOIN longest USING (qmgr, channel, period)
LEFT JOIN cluster_names AS there ON there.channel = s.channel AND there.owner = s.partner
LEFT JOIN cluster_names AS here ON here.channel = s.channel AND here.owner = s.qmgr
LEFT JOIN anywhere ON anywhere.channel = s.channel
