"""When to ask what is due: on a live clock or a virtual one; what then happens is decided below."""
