"""Events to estate, pure: records what happened and decides nothing."""
