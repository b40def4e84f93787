"""The report on a long history: each metric as files, a page with charts, and a summary."""
