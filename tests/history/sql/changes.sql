-- Each change of a definition, once as a whole and once for each attribute.
WITH acts AS (
    SELECT occurred_at AS instant, position, qmgr, coalesce(kind, 'QMGR') AS kind,
        coalesce(name, qmgr) AS name, type, json_extract(body, '$.values') AS attributes,
        CASE WHEN type LIKE '%Defined' THEN 'defined' WHEN type LIKE '%Altered' THEN 'altered'
            WHEN type LIKE '%Deleted' THEN 'deleted' WHEN type LIKE '%Vanished' THEN 'vanished'
            ELSE 'observed' END AS what
    FROM events
    WHERE type IN ('ObjectDefined', 'ObjectAltered', 'ObjectDeleted', 'ObjectObserved',
        'ObjectVanished', 'QueueManagerAltered', 'QueueManagerObserved')
        AND occurred_at < getvariable('until')
), seen AS (
    SELECT *, lag(attributes) OVER (PARTITION BY qmgr, kind, name ORDER BY instant, position) AS former
    FROM acts WHERE what = 'observed'
), keywords AS (
    SELECT instant, position, qmgr, kind, name, what, unnest(json_keys(attributes)) AS attribute,
    FROM acts WHERE what <> 'observed'
    UNION ALL
    SELECT instant, position, qmgr, kind, name, what, attribute
    FROM (
        SELECT *, unnest(list_distinct(list_concat(json_keys(attributes), json_keys(former))))
            AS attribute
        FROM seen WHERE former IS NOT NULL
    )
    WHERE (attributes -> ('$."' || attribute || '"'))
            IS DISTINCT FROM (former -> ('$."' || attribute || '"'))
        AND (kind <> 'QMGR' OR list_contains(json_keys(attributes), attribute))
), wholes AS (
    SELECT instant, position, qmgr, kind, name, what, '' AS attribute FROM acts WHERE what <> 'observed'
    UNION ALL
    SELECT DISTINCT instant, position, qmgr, kind, name, what, '' FROM keywords WHERE what = 'observed'
)
SELECT make_timestamp(instant)::DATE AS day, qmgr, kind, name, attribute, what, count(*) AS changes
FROM (FROM wholes UNION ALL BY NAME FROM keywords)
WHERE instant >= getvariable('since')
GROUP BY ALL
