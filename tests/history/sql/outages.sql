-- Outages and planned stops of cluster-senders.
SELECT qmgr, channel, cluster, partner, make_timestamp(began) AS began,
    make_timestamp(ended) AS ended, inside / 1e6 AS seconds, reason, retries, planned, cause
FROM found
