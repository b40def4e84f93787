-- Warnings that records were not renewed, month by month; those in logs rather than derived ones.
WITH warned AS (
    SELECT CAST(date_trunc('month', timestamp_micros(occurred_at)) AS DATE) AS begun, cluster, qmgr,
        message_id, owner, days, days_left, type = 'RenewalOverdueObserved' AS logged
    FROM events
    WHERE family IN ('repository', 'observations')
        AND type IN ('RenewalOverdue', 'RenewalOverdueObserved')
        AND occurred_at >= :since AND occurred_at < :until
)
SELECT begun AS month, cluster, qmgr, message_id, count(*) AS warnings,
    count(DISTINCT owner) AS owners, max(days) AS most_days_overdue,
    min(days_left) AS least_days_left
FROM (SELECT *, max(logged) OVER (PARTITION BY begun, qmgr) AS any_logged FROM warned)
WHERE logged = any_logged
GROUP BY 1, 2, 3, 4
