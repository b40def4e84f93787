"""Feeds: what an MQ shop already has, taken as observations. Text in, events out."""
