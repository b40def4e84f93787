-- Each change of a definition, with the attributes it is about.
WITH acts AS (
    SELECT occurred_at AS t, position, qmgr, coalesce(kind, 'QMGR') AS kind,
        coalesce(name, qmgr) AS name, get_json_object(body, '$.values') AS given,
        CASE WHEN type LIKE '%Defined' THEN 'defined' WHEN type LIKE '%Altered' THEN 'altered'
            WHEN type LIKE '%Deleted' THEN 'deleted' WHEN type LIKE '%Vanished' THEN 'vanished'
            ELSE 'observed' END AS what
    FROM events
    WHERE family IN ('objects', 'queue_managers') AND occurred_at < :until
        AND type IN ('ObjectDefined', 'ObjectAltered', 'ObjectDeleted', 'ObjectObserved',
            'ObjectVanished', 'QueueManagerAltered', 'QueueManagerObserved')
),
seen AS (
    SELECT *, lag(given) OVER (PARTITION BY qmgr, kind, name ORDER BY t, position) AS former
    FROM acts WHERE what = 'observed'
),
compared AS (
    SELECT *, from_json(given, 'map<string, string>') AS now,
        from_json(former, 'map<string, string>') AS then
    FROM seen WHERE given <> former
),
differing AS (
    SELECT t, position, qmgr, kind, name, what, filter(
        array_union(map_keys(now), map_keys(then)),
        k -> NOT now[k] <=> then[k] AND (
            kind <> 'QMGR' OR map_contains_key(now, k))) AS attributes
    FROM compared
)
SELECT t, position, qmgr, kind, name, what,
    coalesce(json_object_keys(given), array()) AS attributes
FROM acts WHERE what <> 'observed'
UNION ALL
SELECT * FROM differing WHERE size(attributes) > 0
