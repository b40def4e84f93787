"""Who may do what: users and their roles, passwords, tokens."""
