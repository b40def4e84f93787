-- How punctually owners sent their records again, month by month.
WITH sent AS (
    SELECT qmid, cluster, qmgr, position, occurred_at AS t,
        type = 'InformationRepublished' AS again,
        explode(CASE type
            WHEN 'InformationRepublished' THEN
                from_json(get_json_object(body, '$.names'), 'array<array<string>>')
            ELSE transform(
                from_json(get_json_object(body, '$.records'),
                    'array<struct<kind: string, name: string>>'),
                r -> array(r.kind, r.name))
        END) AS record
    FROM events
    WHERE family = 'repository' AND occurred_at < :until
        AND type IN ('InformationPublished', 'InformationRepublished')
),
aged AS (
    SELECT *, t - lag(t) OVER (PARTITION BY qmid, cluster, record ORDER BY t, position) AS age
    FROM sent
),
resent AS (
    SELECT cluster, qmgr, t, max(age) AS age, max(age) - 27 * 86400000000 AS late
    FROM aged WHERE again AND t >= :since GROUP BY qmid, cluster, qmgr, position, t
)
SELECT CAST(date_trunc('month', timestamp_micros(t)) AS DATE) AS month, cluster, qmgr,
    count(*) AS resends,
    count_if(late < -60000000) AS early,
    count_if(late BETWEEN -60000000 AND 60000000) AS punctual,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY late) FILTER (WHERE late >= -60000000) / 1e6D
        AS late_p50_s,
    max(late) FILTER (WHERE late >= -60000000) / 1e6D AS late_max_s,
    min(30 * 86400000000 - age) / 86400e6D AS least_days_left,
    count_if(30 * 86400000000 - age < 86400000000) AS near_misses
FROM resent GROUP BY 1, 2, 3
