"""Commands and observations: MQSC commands, control commands, observed channel statuses."""
