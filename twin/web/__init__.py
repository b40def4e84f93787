"""The service: the REST interface of mqweb, questions as JSON, metrics, and pages."""
