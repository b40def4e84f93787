-- Outages grouped by common cause.
WITH ends AS (
    SELECT qmgr, channel, partner, began, inline(array(
        struct(qmgr AS lost, false AS there), struct(partner AS lost, true AS there)))
    FROM found WHERE NOT planned AND partner IS NOT NULL
),
others AS (
    SELECT f.qmgr, f.channel, f.began, bool_or(there) AS far,
        bool_or(NOT there AND o.qmgr <> f.partner) AS own
    FROM (
        SELECT *, explode(sequence(began div 600000000 - 1, began div 600000000 + 1)) AS part
        FROM ends
    ) AS f
    JOIN (SELECT *, began div 600000000 AS part FROM found WHERE NOT planned) AS o
        ON o.partner = f.lost AND o.part = f.part
    WHERE o.qmgr <> f.qmgr AND abs(o.began - f.began) < 600000000
    GROUP BY f.qmgr, f.channel, f.began
),
about AS (
    SELECT f.*, coalesce(ended, 4611686018427387904) AS upto, CASE
        WHEN partner IS NULL THEN f.qmgr || ' ' || f.channel
        WHEN far IS NULL OR far THEN partner
        WHEN own THEN f.qmgr ELSE least(partner, f.qmgr) END AS about
    FROM found AS f LEFT JOIN others USING (qmgr, channel, began)
),
flaps AS (
    SELECT *, coalesce(caused, began) AS felt,
        lag(upto) OVER (PARTITION BY about, planned, qmgr, channel ORDER BY began) AS former
    FROM about
),
spells AS (
    SELECT *, max(IF(former IS NULL OR began >= former + 600000000, began, NULL))
        OVER (PARTITION BY about, planned, qmgr, channel ORDER BY began) AS begun
    FROM flaps
),
felt AS (
    SELECT *, first_value(felt)
        OVER (PARTITION BY about, planned, qmgr, channel, begun ORDER BY began) AS spell
    FROM spells
),
near AS (
    SELECT *, max(upto) OVER (PARTITION BY about, planned ORDER BY spell
        RANGE BETWEEN 3599999999 PRECEDING AND 1 PRECEDING) AS near
    FROM felt
),
parted AS (
    SELECT *, max(IF(near IS NULL OR spell >= near + 600000000, spell, NULL))
        OVER (PARTITION BY about, planned ORDER BY spell) AS number
    FROM near
),
spans AS (
    SELECT about, planned, number, qmgr, channel, greatest(min(began), :since) AS b,
        least(max(upto), :until) AS e
    FROM parted GROUP BY about, planned, number, qmgr, channel
),
waited AS (
    SELECT about, planned, number, sum(n) AS messages
    FROM spans JOIN stays USING (qmgr, channel)
    WHERE n > 0 AND came_at < e AND (gone_at IS NULL OR (gone_at > b AND gone_at > came_at))
    GROUP BY about, planned, number
),
summed AS (
    SELECT about, planned, number, min(began) AS b, max(upto) AS e,
        min_by(cause, array_position(array('lost', 'unreachable', 'ended', 'suspended', 'stopped'), cause))
            AS cause,
        max(IF(contains(about, ' '), NULL, about)) AS partner,
        min(qmgr) FILTER (WHERE qmgr <> about) AS sender,
        count(DISTINCT qmgr) FILTER (WHERE qmgr <> about) AS qmgrs,
        min(channel) AS name, count(DISTINCT qmgr, channel) AS channels,
        min(cluster) AS cluster, count(*) AS outages, sum(inside) AS down,
        min_by(reason, struct(began, qmgr, channel)) FILTER (WHERE reason IS NOT NULL) AS reason
    FROM parted GROUP BY about, planned, number
)
SELECT timestamp_micros(b) AS began,
    timestamp_micros(IF(e < 4611686018427387904, e, NULL)) AS ended,
    e = 4611686018427387904 AS ongoing, planned, cause, partner,
    IF(qmgrs = 1, sender, NULL) AS qmgr, IF(channels = 1, name, NULL) AS channel, cluster, qmgrs,
    channels, outages, (least(e, :until) - greatest(b, :since)) / 1e6D AS seconds,
    down / 3.6e9D AS channel_hours, coalesce(messages, 0) AS messages, reason
FROM summed LEFT JOIN waited USING (about, planned, number)
