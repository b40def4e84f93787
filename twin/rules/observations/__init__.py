"""What follows from observed states and dates."""
