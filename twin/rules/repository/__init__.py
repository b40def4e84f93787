"""Cluster repositories: what queue managers publish, request, pass on, keep and remove.

The modules, lowest first:

- `lifetimes`: how long records and subscriptions last.
- `recipients`, `outgoing_items`: who gets records and requests, and which records are new there.
- `receiving`: a repository takes in what arrives, reports what was new, and warns of instances
  whose definitions differ.
- `delivery`: repository commands travel over channels, or wait for them.
- `publication`, `requests`, `forced_removal`: a queue manager publishes its own
  records, asks for others, removes a member; a full repository passes all of this on.
- `answers`: MQOPEN looks up a name, and waits for answers.
- `connecting`: what queue managers do when channels start. What they do when commands arrive is in
  `twin.rules.reactions`.
"""
