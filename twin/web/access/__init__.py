"""Who may do what: users and their roles, passwords, tokens, and attempts to sign in."""
