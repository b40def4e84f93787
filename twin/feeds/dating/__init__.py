"""When a file was true, from what it says of itself, its path, or its modification time.

This is for files whose content has no instants of its own: scripts, dumps, answers to DISPLAY,
scrapes. Files that were collected together share one instant. Nothing here reads a file or a clock.
"""
