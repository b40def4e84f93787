"""The composition root: a log, the rules, the fold and the questions put together."""
