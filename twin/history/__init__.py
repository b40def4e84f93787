"""Long histories on Spark: the log as a data source, the lake, the metrics, the report."""
