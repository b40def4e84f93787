"""Long histories: the lake, the report, and each metric compared with SQL written by hand."""
