"""Reviews of an estate and of changes to it, made with rehearsals; nothing is recorded."""
