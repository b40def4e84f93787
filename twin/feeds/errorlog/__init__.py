"""Readers of error logs: text to records. They decide nothing about what a message means."""
