SELECT CAST(date_trunc('month', make_timestamp(occurred_at)) AS DATE) AS month, cluster, qmgr,
    message_id, count(*) AS warnings, count(DISTINCT owner) AS owners,
    max(days) AS most_days_overdue, min(days_left) AS least_days_left
FROM events
WHERE type = 'RenewalOverdue'
    AND occurred_at >= getvariable('since') AND occurred_at < getvariable('until')
GROUP BY 1, 2, 3, 4
