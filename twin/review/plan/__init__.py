"""What a change would do before it is made: rehearsed, and compared with doing nothing."""
