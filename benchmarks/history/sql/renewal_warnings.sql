-- Warnings that records were not renewed, month by month.
SELECT CAST(date_trunc('month', timestamp_micros(occurred_at)) AS DATE) AS month, cluster, qmgr,
    message_id, count(*) AS warnings, count(DISTINCT owner) AS owners,
    max(days) AS most_days_overdue, min(days_left) AS least_days_left
FROM events
WHERE family = 'repository' AND type = 'RenewalOverdue'
    AND occurred_at >= :since AND occurred_at < :until
GROUP BY 1, 2, 3, 4
