"""Cluster repositories: what queue managers publish, request, pass on, keep and remove.

The modules, lowest first:

- `lifetimes`: how long records and subscriptions last.
- `full_repositories`, `subscribers`, `outgoing_items`: who gets records, and which are new there.
- `receiving`: a repository takes in what arrives, and reports what was new.
- `delivery`: repository commands travel over channels, or wait for them.
- `differing_instances`: warnings about instances whose definitions differ.
- `publication`, `requests`, `forced_removal`, `distribution`: a queue manager publishes its own
  records, asks for others, removes a member; a full repository passes all of this on.
- `answers`, `name_lookup`: MQOPEN looks up a name, and waits for answers.
- `received_commands`, `connecting`: what queue managers do when commands arrive, and when channels
  start.
"""
