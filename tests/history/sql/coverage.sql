-- When queue managers were covered, inside the window.
SELECT qmgr, basis, covered, make_timestamp(greatest(b, getvariable('since'))) AS began,
    make_timestamp(e) AS ended, (e - greatest(b, getvariable('since'))) / 1e6 AS seconds,
    usual / 1e6 AS usual_s
FROM covered WHERE greatest(b, getvariable('since')) < e
