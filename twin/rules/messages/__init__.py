"""Messages: MQOPEN, MQPUT and MQGET, and the way of messages over channels to their last queue."""
