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
), statements AS (
    SELECT occurred_at AS instant, position, qmgr, kind, json_extract_string(body, '$.complete') AS complete,
        unnest(json_extract(body, '$.said[*]')) AS said,
        unnest(range(json_array_length(body, '$.said')::BIGINT)) AS place
    FROM events
    WHERE type IN ('ObjectsObserved', 'ObjectsDated') AND occurred_at < getvariable('until')
), said AS (
    SELECT instant, position, qmgr, if(said ->> 'type' = 'CLNTCONN', 'CLNTCONN', kind) AS kind,
        if(kind = 'QMGR', qmgr, said ->> 'name') AS name, complete,
        last(said ->> 'act' ORDER BY place) <> 'delete' AS there,
        bool_and(said ->> 'act' = 'define' AND coalesce(said ->> 'base', '') = '') AS whole,
        list(said -> 'values' ORDER BY place) AS parts
    FROM statements GROUP BY ALL
), merged AS (
    SELECT instant, position, qmgr, kind, name, there, whole,
        list_reduce(parts, lambda one, other: json_merge_patch(one, other)) AS attributes
    FROM said
), seen AS (
    SELECT *, lag(attributes) OVER (PARTITION BY qmgr, kind, name ORDER BY instant, position) AS former
    FROM (
        SELECT instant, position, qmgr, kind, name, what, attributes, kind <> 'QMGR' AS whole
        FROM acts WHERE what = 'observed'
        UNION ALL
        SELECT instant, position, qmgr, kind, name, 'observed', attributes, whole
        FROM merged WHERE there
    )
), absent AS (
    SELECT instant, position, qmgr, kind, name FROM merged WHERE NOT there
    UNION ALL
    SELECT full_ones.instant, full_ones.position, qmgr, kind, known.name
    FROM (SELECT DISTINCT qmgr, kind, name FROM seen) AS known
    JOIN (SELECT DISTINCT instant, position, qmgr, kind, complete FROM said
        WHERE complete IS NOT NULL) AS full_ones USING (qmgr, kind)
    WHERE known.name GLOB complete
    AND NOT EXISTS (FROM said AS other WHERE other.position = full_ones.position
        AND other.kind = full_ones.kind AND other.qmgr = full_ones.qmgr AND other.name = known.name)
), gone AS (
    SELECT *, lag(there) OVER (PARTITION BY qmgr, kind, name ORDER BY instant, position) AS before
    FROM (
        SELECT instant, position, qmgr, kind, name, true AS there FROM seen
        UNION ALL SELECT *, false FROM absent
    )
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
        AND (whole OR list_contains(json_keys(attributes), attribute))
), wholes AS (
    SELECT instant, position, qmgr, kind, name, what, '' AS attribute FROM acts WHERE what <> 'observed'
    UNION ALL
    SELECT instant, position, qmgr, kind, name, 'vanished', '' FROM gone WHERE before AND NOT there
    UNION ALL
    SELECT DISTINCT instant, position, qmgr, kind, name, what, '' FROM keywords WHERE what = 'observed'
)
SELECT make_timestamp(instant)::DATE AS day, qmgr, kind, name, attribute, what, count(*) AS changes
FROM (FROM wholes UNION ALL BY NAME FROM keywords)
WHERE instant >= getvariable('since')
GROUP BY ALL
