"""How MQ behaves, pure: from an estate, what was asked and an instant, to what came of it."""
