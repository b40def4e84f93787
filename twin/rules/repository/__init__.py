"""Cluster repositories: what queue managers publish, request, pass on, keep and remove.

Fourth floor of the rules. The modules, lowest first:

- `lifetimes`: how long records and subscriptions last.
- `outgoing_items`, `subscribers`, `full_repositories`: which records are new to which receiver.
- `delivery`: repository commands travel over channels.
- `distribution`, `publication`, `requests`, `forced_removal`, `name_lookup`: what is sent, and why.
- `received_commands`, `connecting`: what starts all of this.
"""
