"""Messages: from MQOPEN and MQPUT over channels to the queue they end on, and MQGET."""
