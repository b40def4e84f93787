"""What follows from observed states and dates, and which observations no rule reads."""
