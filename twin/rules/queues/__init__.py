"""Local and transmission queues: which one a channel uses, how much room, when put."""
