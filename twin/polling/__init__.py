"""Asks a real queue manager through mqweb what it shows, and changes nothing there.

Everything that is sent is in `twin.polling.connection`: GET, and DISPLAY in the JSON form of MQSC.
The answers become a text like that of a saved file, which the readers of feeds take in.
"""
