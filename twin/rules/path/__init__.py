"""The path of a message: where it goes on from an object of a queue manager.

`resolution` finds what a name stands for at one queue manager (`resolved`), where it is put and
where it arrives. What is known of the clusters is a parameter: the records that a queue manager
holds or requests (`twin.rules.messages.resolution`), or the names that it would look up
(`twin.rules.assumptions`).
"""
