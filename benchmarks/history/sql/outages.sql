-- Outages and planned stops of cluster-senders that touch the window.
SELECT qmgr, channel, cluster, partner, timestamp_micros(began) AS began,
    timestamp_micros(ended) AS ended, inside / 1e6D AS seconds, reason, retries, planned, cause
FROM found
