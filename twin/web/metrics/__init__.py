"""Metrics for Prometheus, under the names of IBM's exporter and of twin itself."""
