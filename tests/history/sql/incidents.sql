-- Outages grouped by common cause.
WITH others AS (
    SELECT f.qmgr, f.channel, f.began, bool_or(o.partner = f.partner) AS far,
        bool_or(o.partner = f.qmgr AND o.qmgr <> f.partner) AS own
    FROM found AS f JOIN found AS o
        ON o.partner IN (f.qmgr, f.partner) AND o.qmgr <> f.qmgr AND NOT o.planned
        AND abs(o.began - f.began) < 600_000_000
    WHERE NOT f.planned AND f.partner IS NOT NULL
    GROUP BY ALL
), about AS (
    SELECT f.*, coalesce(ended, 4611686018427387904) AS upto, CASE
        WHEN partner IS NULL THEN qmgr || ' ' || channel
        WHEN far IS NULL OR far THEN partner
        WHEN own THEN qmgr ELSE least(partner, qmgr) END AS about
    FROM found AS f LEFT JOIN others USING (qmgr, channel, began)
), flaps AS (
    SELECT *, lag(upto) OVER w AS former, coalesce(caused, began) AS felt
    FROM about WINDOW w AS (PARTITION BY about, planned, qmgr, channel ORDER BY began)
), spells AS (
    SELECT *, last_value(CASE WHEN former IS NULL OR began >= former + 600_000_000 THEN felt END
        IGNORE NULLS) OVER (PARTITION BY about, planned, qmgr, channel ORDER BY began) AS spell
    FROM flaps
), near AS (
    -- the latest end of the spells that began in the hour before
    SELECT s.about, s.planned, s.spell, max(o.upto) AS near
    FROM (SELECT DISTINCT about, planned, spell FROM spells) AS s
    LEFT JOIN spells AS o ON o.about = s.about AND o.planned = s.planned
        AND o.spell < s.spell AND s.spell - o.spell < 3_600_000_000
    GROUP BY ALL
), starts AS (
    SELECT about, planned, spell FROM near WHERE near IS NULL OR spell >= near + 600_000_000
), parted AS (
    SELECT s.*, starts.spell AS number FROM spells AS s ASOF JOIN starts
    ON s.about = starts.about AND s.planned = starts.planned AND s.spell >= starts.spell
), spans AS (
    SELECT about, planned, number, qmgr, channel,
        greatest(min(began), getvariable('since')) AS b,
        least(max(upto), getvariable('until')) AS e
    FROM parted GROUP BY ALL
), waited AS (
    SELECT about, planned, number, sum(n) AS messages
    FROM spans JOIN stays USING (qmgr, channel)
    WHERE came_at < e AND (gone_at IS NULL OR (gone_at > b AND gone_at > came_at))
    GROUP BY ALL
), summed AS (
    SELECT about, planned, number, min(began) AS b, max(upto) AS e,
        arg_min(cause, list_position(['lost', 'unreachable', 'ended', 'suspended', 'stopped'], cause)) AS cause,
        any_value(CASE WHEN NOT contains(about, ' ') THEN about END) AS partner,
        min(qmgr) FILTER (qmgr <> about) AS sender,
        count(DISTINCT qmgr) FILTER (qmgr <> about) AS qmgrs,
        min(channel) AS name, count(DISTINCT qmgr || ' ' || channel) AS channels,
        min(cluster) AS cluster, count(*) AS outages, sum(inside) AS down,
        arg_min(reason, {began: began, qmgr: qmgr, channel: channel}) FILTER (reason IS NOT NULL)
            AS reason
    FROM parted GROUP BY ALL
)
SELECT make_timestamp(b) AS began,
    make_timestamp(CASE WHEN e < 4611686018427387904 THEN e END) AS ended, e = 4611686018427387904 AS ongoing,
    planned, cause, partner, CASE WHEN qmgrs = 1 THEN sender END AS qmgr,
    CASE WHEN channels = 1 THEN name END AS channel, cluster, qmgrs, channels, outages,
    (least(e, getvariable('until')) - greatest(b, getvariable('since'))) / 1e6 AS seconds,
    down / 3.6e9 AS channel_hours, coalesce(messages, 0)::BIGINT AS messages, reason
FROM summed LEFT JOIN waited USING (about, planned, number)
