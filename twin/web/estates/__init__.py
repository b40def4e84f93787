"""Access to the log for requests: readers that share nothing, one writer, and worker processes."""
