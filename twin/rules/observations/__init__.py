"""What follows from observed states, and which observations no rule reads."""
