"""What each event changes in the estate: one module for each family of events.

A handler takes (estate, event, instant, position). It changes what its event says and nothing else,
and notes in `QueueManager.changed` which parts it changed. `twin.fold.replay` has the table.
"""
