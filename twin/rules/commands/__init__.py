"""What people and programs ask of a queue manager: MQSC and control commands, observations."""
