"""Judge what the doctor finds: origins, suppressions, baselines, proofs of fixes, reports."""
