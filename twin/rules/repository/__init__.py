"""Cluster repositories: what queue managers publish, ask for, pass on, keep and remove.

Fourth floor of the rules. Inside the room: `lifetimes`; then `outgoing_items`, `subscribers`,
`full_repositories` (what is new to whom); `delivery` (repository commands on their way);
`distribution`, `publication`, `requests`, `forced_removal`, `name_lookup` (what is sent, and why);
`reacting` and `connecting` (what sets all this in motion).
"""
