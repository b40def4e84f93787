-- Subscriptions made, used, renewed and let go, month by month.
WITH named AS (
    SELECT CAST(date_trunc('month', timestamp_micros(occurred_at)) AS DATE) AS month, cluster,
        qmgr, type,
        CASE WHEN type IN ('SubscriptionsRenewed', 'SubscriptionsLapsed')
            THEN json_array_length(get_json_object(body, '$.asks')) ELSE 1 END AS n
    FROM events
    WHERE family = 'subscriptions' AND occurred_at >= :since AND occurred_at < :until
        AND type IN ('SubscriptionMade', 'SubscriptionReferenced', 'SubscriptionsRenewed',
            'SubscriptionsLapsed')
)
SELECT month, cluster, qmgr,
    coalesce(sum(n) FILTER (WHERE type = 'SubscriptionMade'), 0) AS made,
    coalesce(sum(n) FILTER (WHERE type = 'SubscriptionReferenced'), 0) AS referenced,
    coalesce(sum(n) FILTER (WHERE type = 'SubscriptionsRenewed'), 0) AS renewed,
    coalesce(sum(n) FILTER (WHERE type = 'SubscriptionsLapsed'), 0) AS lapsed
FROM named GROUP BY month, cluster, qmgr
