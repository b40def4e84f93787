"""Questions, plans and findings as JSON, under `/twin/v1`."""
