SELECT channel, min(cluster) AS cluster FROM cluster_names GROUP BY ALL
