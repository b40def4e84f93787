"""Questions: from an estate, or two, to an answer with its evidence; pure."""
