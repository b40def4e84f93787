"""The MQSC language: read commands, write replies. Pure functions of text and values."""
