"""The log compared with an event store."""
