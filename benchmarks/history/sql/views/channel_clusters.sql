-- In which cluster an owner has published or defined a channel.
SELECT channel, owner, min(cluster) AS cluster
FROM (
    SELECT record.name AS channel, owner, cluster
    FROM (
        SELECT qmgr AS owner, cluster, explode(from_json(get_json_object(body, '$.records'),
            'array<struct<kind: string, name: string>>')) AS record
        FROM events
        WHERE family = 'repository' AND type = 'InformationPublished' AND occurred_at < :until
    )
    WHERE record.kind = 'qmgr'
    UNION ALL
    SELECT name, qmgr, get_json_object(body, '$.values.CLUSTER')
    FROM events
    WHERE family = 'objects' AND kind = 'CHANNEL' AND occurred_at < :until
)
WHERE cluster <> ''
GROUP BY channel, owner
