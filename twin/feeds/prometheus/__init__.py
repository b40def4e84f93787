"""Read what mq_prometheus measured: scrapes, and answers of Prometheus to queries."""
