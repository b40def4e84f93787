WITH named AS (
    SELECT qmgr, cluster, occurred_at, type FROM events
    WHERE type IN ('SubscriptionMade', 'SubscriptionReferenced')
    UNION ALL
    SELECT qmgr, cluster, occurred_at, type FROM (
        SELECT *, unnest(CAST(body->'asks' AS JSON[])) AS ask FROM events
        WHERE type IN ('SubscriptionsRenewed', 'SubscriptionsLapsed')
    )
)
SELECT CAST(date_trunc('month', make_timestamp(occurred_at)) AS DATE) AS month, cluster, qmgr,
    count(*) FILTER (type = 'SubscriptionMade') AS made,
    count(*) FILTER (type = 'SubscriptionReferenced') AS referenced,
    count(*) FILTER (type = 'SubscriptionsRenewed') AS renewed,
    count(*) FILTER (type = 'SubscriptionsLapsed') AS lapsed
FROM named
WHERE occurred_at >= getvariable('since') AND occurred_at < getvariable('until')
GROUP BY 1, 2, 3
