"""The log beside an event store."""
