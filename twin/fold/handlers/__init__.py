"""Event handlers: how each event changes the estate. One module for each family of events.

A handler takes (estate, event, instant, position). It changes only what its event says, and notes
in `QueueManager.changed` which parts it changed. The table of handlers is in `twin.fold.replay`.
"""
