"""The path of a message: where it goes on from an object of a queue manager.

An object is a local queue, an alias, a remote definition, a queue manager alias, or an instance of
a cluster. `graph` says what a definition names, and `partners` where a channel leads. `resolution`
finds what a name stands for at one queue manager (`resolved`), where it is put and where it
arrives. What is known of the clusters is a parameter of that rule: the records that are held or
requested (`twin.rules.messages.destinations`), the names that would be looked up
(`twin.rules.assumptions`), or what all members share by their definitions (`graph`).
"""
