"""The report on a long history: every metric as files, one page with charts, ten lines."""
