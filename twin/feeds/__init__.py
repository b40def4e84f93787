"""Feeds: MQSC scripts and dumps as observations. They turn text into events."""
