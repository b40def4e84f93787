"""Long histories: the lake, the report, and each metric beside SQL that somebody wrote by hand."""
