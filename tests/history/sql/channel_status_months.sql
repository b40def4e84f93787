-- How cluster-senders stood, month by month.
WITH told AS (
    SELECT qmgr, channel, occurred_at AS instant, position, status, coalesce(reason, '') AS reason,
        coalesce(partner, '') AS partner,
        CASE WHEN status = 'RETRYING' THEN json_extract(body, '$.retries')::BIGINT[] END AS retries
    FROM events
    WHERE type = 'ChannelStatusChanged' AND occurred_at < getvariable('until')
), definitions AS (
    SELECT qmgr, name AS channel, occurred_at AS instant, position,
        CASE WHEN type IN ('ObjectDefined', 'ObjectObserved') THEN object_type ELSE 'deleted' END
            AS made
    FROM events
    WHERE type IN ('ObjectDefined', 'ObjectObserved', 'ObjectDeleted', 'ObjectVanished')
        AND kind = 'CHANNEL' AND NOT starts_with(name, 'SYSTEM.')
        AND occurred_at < getvariable('until')
), senders AS (
    SELECT qmgr, channel FROM told
    UNION SELECT qmgr, channel FROM definitions WHERE made = 'CLUSSDR'
), lives AS (
    SELECT qmgr, occurred_at AS instant, position, type
    FROM events
    WHERE type IN ('QueueManagerStarted', 'QueueManagerEnded', 'QueueManagerDeleted',
        'QueueManagerRestored') AND occurred_at < getvariable('until')
), instants AS (
    SELECT qmgr, channel, instant FROM told
    UNION SELECT qmgr, channel, instant FROM definitions
    UNION SELECT qmgr, channel, instant FROM senders JOIN lives USING (qmgr)
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
    )
    GROUP BY ALL
), stood AS (
    SELECT s.qmgr, s.channel, s.instant, s.fin, changes.place, partners.partner, t.instant AS since,
        t.told.retries AS retries,
        e.instant IS NOT NULL AND (e.instant, e.place) > (t.instant, t.place) AS reset,
        coalesce(t.told.status, 'none') AS told,
        coalesce(t.told.reason, '') AS reason,
        coalesce(types.made, 'automatic') AS made,
        coalesce(phases.last IN ('QueueManagerEnded', 'QueueManagerRestored'), false) AS down
    FROM spans AS s
    JOIN changes ON changes.qmgr = s.qmgr AND changes.channel = s.channel AND changes.instant = s.instant
    ASOF LEFT JOIN statuses AS t ON t.qmgr = s.qmgr AND t.channel = s.channel AND s.instant >= t.instant
    ASOF LEFT JOIN types ON types.qmgr = s.qmgr AND types.channel = s.channel AND s.instant >= types.instant
    LEFT JOIN partners ON partners.qmgr = s.qmgr AND partners.channel = s.channel
    ASOF LEFT JOIN ends AS e ON e.qmgr = s.qmgr AND s.instant >= e.instant
    ASOF LEFT JOIN phases ON phases.qmgr = s.qmgr AND s.instant >= phases.instant
), settled AS (
    SELECT * REPLACE (CASE WHEN reset AND told <> 'STOPPED' THEN '' ELSE reason END AS reason),
        CASE WHEN reset AND told NOT IN ('STOPPED', 'none') THEN 'INACTIVE' ELSE told END AS status
    FROM stood
), alone AS (
    SELECT *, CASE
        WHEN made NOT IN ('CLUSSDR', 'automatic', 'deleted') THEN 'gone'
        WHEN made = 'automatic' AND status = 'none' THEN 'gone'
        WHEN made = 'deleted' AND status IN ('none', 'INACTIVE') THEN 'gone'
        WHEN down THEN 'ended'
        WHEN status IN ('RUNNING', 'INACTIVE', 'none') THEN 'up'
        WHEN status IN ('STOPPED', 'STOPPING') AND reason = '' THEN 'stopped'
        ELSE 'outage' END AS alone
    FROM settled
), failing AS (
    SELECT *, last_value(CASE WHEN alone <> 'stopped' THEN alone END IGNORE NULLS)
        OVER (PARTITION BY qmgr, channel ORDER BY instant) AS failing
    FROM alone
), sorted AS (
    SELECT *, CASE WHEN alone = 'stopped' AND failing = 'outage' THEN 'outage' ELSE alone END
        AS sort
    FROM failing
), parted AS (
    SELECT *, lag(sort) OVER (PARTITION BY qmgr, channel ORDER BY instant) AS before FROM sorted
), numbered AS (
    SELECT *, count(*) FILTER (before IS DISTINCT FROM sort)
        OVER (PARTITION BY qmgr, channel ORDER BY instant) AS number
    FROM parted
), islands AS (
    SELECT qmgr, channel, number, any_value(sort) AS sort, min(instant) AS began,
        CASE WHEN bool_or(fin IS NULL) THEN NULL ELSE max(fin) END AS ended,
        arg_min(place, instant) AS place
    FROM numbered GROUP BY ALL
), cluster_names AS (
    SELECT channel, owner, min(cluster) AS cluster
    FROM (
        SELECT json_extract_string(record, '$.name') AS channel, qmgr AS owner, cluster
        FROM (
            SELECT qmgr, cluster, unnest(json_extract(body, '$.records[*]')) AS record
            FROM events
            WHERE type = 'InformationPublished' AND occurred_at < getvariable('until')
        )
        WHERE json_extract_string(record, '$.kind') = 'qmgr'
        UNION ALL
        SELECT name, qmgr, json_extract_string(body, '$.values.CLUSTER')
        FROM events
        WHERE family = 'objects' AND kind = 'CHANNEL' AND occurred_at < getvariable('until')
    )
    WHERE cluster <> ''
    GROUP BY ALL
), anywhere AS (
    SELECT channel, min(cluster) AS cluster FROM cluster_names GROUP BY ALL
), given AS (
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
    WHERE began >= getvariable('since')
    GROUP BY ALL
), repairs AS (
    SELECT i.qmgr, i.channel, date_trunc('month', make_timestamp(i.ended)) AS period,
        count(*) AS repairs, sum(i.ended - i.began) AS repairing
    FROM islands AS i
    JOIN islands AS n ON n.qmgr = i.qmgr AND n.channel = i.channel AND n.number = i.number + 1
    WHERE i.sort = 'outage' AND n.sort = 'up' AND i.ended >= getvariable('since')
    GROUP BY ALL
), sums AS (
    SELECT period, qmgr, channel, partner,
        coalesce(sum(e - b) FILTER (sort <> 'ended' AND status = 'RUNNING'), 0) AS running,
        coalesce(sum(e - b) FILTER (sort <> 'ended' AND status = 'RETRYING'), 0) AS retrying,
        coalesce(sum(e - b) FILTER (sort <> 'ended' AND status = 'STOPPED'), 0) AS stopped,
        coalesce(sum(e - b) FILTER (sort <> 'ended' AND status IN ('INACTIVE', 'none')), 0)
            AS inactive,
        coalesce(sum(e - b) FILTER (sort = 'ended'), 0) AS ended,
        sum(e - b) AS whole,
        sum(tries)::BIGINT AS retries
    FROM tried GROUP BY ALL
)
SELECT period::DATE AS month, s.qmgr, s.channel,
    coalesce(there.cluster, here.cluster, anywhere.cluster) AS cluster,
    partner,
    running / 1e6 AS running_s, retrying / 1e6 AS retrying_s, stopped / 1e6 AS stopped_s,
    inactive / 1e6 AS inactive_s,
    (whole - running - retrying - stopped - inactive - ended) / 1e6 AS other_s,
    ended / 1e6 AS ended_s,
    CASE WHEN whole > ended THEN (running + inactive) / (whole - ended)::DOUBLE END AS availability,
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
