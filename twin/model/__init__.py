"""The nouns of MQ: instants, names, objects and their attributes, messages and reason codes."""
