"""Folders of definitions, one file per queue manager, as estates in memory: no log is kept."""
