"""Stories: scenarios in YAML with a cluster's expected behaviour; read, played and reported."""
