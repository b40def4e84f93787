"""The output of amqsevt and amqsevtg: event, statistics and accounting messages."""
