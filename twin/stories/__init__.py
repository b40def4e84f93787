"""Stories: scenarios in YAML that say what a cluster must do, read, played and reported."""
