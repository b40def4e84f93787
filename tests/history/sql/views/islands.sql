-- The groups of stretches.
SELECT qmgr, channel, number, any_value(sort) AS sort, min(instant) AS began,
    CASE WHEN bool_or(fin IS NULL) THEN NULL ELSE max(fin) END AS ended,
    arg_min(place, instant) AS place
FROM numbered GROUP BY ALL
