"""Read saved answers to DISPLAY: the output of runmqsc, and the JSON of mqweb, as records."""
