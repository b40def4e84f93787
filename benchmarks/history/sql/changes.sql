-- Changed definitions by day, each once as a whole and once for each attribute.
SELECT date_from_unix_date(CAST(t div 86400000000 AS INT)) AS day, qmgr, kind, name, attribute,
    what, count(*) AS changes
FROM definition_changes
LATERAL VIEW explode(array_append(attributes, '')) AS attribute
WHERE t >= :since
GROUP BY ALL
