"""Nouns of the field, pure: instants, names, MQ objects and their attributes, message ids."""
