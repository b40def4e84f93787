-- In which cluster an owner has published or defined a channel.
SELECT channel, owner, min(cluster) AS cluster
FROM (
    SELECT json_extract_string(record, '$.name') AS channel, qmgr AS owner, cluster
    FROM (
        SELECT qmgr, cluster, unnest(json_extract(body, '$.records[*]')) AS record
        FROM events
        WHERE type = 'InformationPublished' AND occurred_at < getvariable('until')
    )
    WHERE json_extract_string(record, '$.kind') = 'qmgr'
    UNION ALL
    SELECT name, qmgr, json_extract_string(body, '$.values.CLUSTER')
    FROM events
    WHERE family = 'objects' AND kind = 'CHANNEL' AND occurred_at < getvariable('until')
)
WHERE cluster <> ''
GROUP BY ALL
