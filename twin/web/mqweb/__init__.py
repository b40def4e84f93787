"""The administrative REST interface of mqweb, versions 1 to 3."""
