"""Error logs: readers of all forms, what each message means, and the facts that follow from them.

The readers turn text into records and decide nothing. `meanings` is a table from message id to what
becomes of it, `facts` makes observations of records, and `decoding` explains them to people.
"""
