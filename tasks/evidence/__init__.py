"""Evidence: the content-addressed store, experiment tracking and the holdout ledger."""
