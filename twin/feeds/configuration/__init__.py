"""Read configuration files: ini files of queue managers and clients, client channel tables."""
