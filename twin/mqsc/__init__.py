"""The language: MQSC as read and as answered. Pure: text and values in, text and values out."""
