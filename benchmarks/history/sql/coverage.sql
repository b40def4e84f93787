-- When queue managers were covered, inside the window.
SELECT qmgr, basis, covered, timestamp_micros(greatest(b, :since)) AS began,
    timestamp_micros(e) AS ended, (e - greatest(b, :since)) / 1e6D AS seconds,
    usual / 1e6D AS usual_s
FROM covered WHERE greatest(b, :since) < e
