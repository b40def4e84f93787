WITH warned AS (
    SELECT cluster, qmgr, message_id, owner, days, days_left,
        CAST(date_trunc('month', make_timestamp(occurred_at)) AS DATE) AS begun,
        type = 'RenewalOverdueObserved' AS logged
    FROM events
    WHERE type IN ('RenewalOverdue', 'RenewalOverdueObserved')
        AND occurred_at >= getvariable('since') AND occurred_at < getvariable('until')
), observed AS (
    SELECT DISTINCT begun, qmgr FROM warned WHERE logged
)
SELECT begun AS month, cluster, qmgr, message_id, count(*) AS warnings,
    count(DISTINCT owner) AS owners, max(days) AS most_days_overdue,
    min(days_left) AS least_days_left
FROM warned
WHERE logged OR NOT EXISTS (
    SELECT 1 FROM observed WHERE observed.begun = warned.begun AND observed.qmgr = warned.qmgr
)
GROUP BY 1, 2, 3, 4
