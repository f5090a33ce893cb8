"""Physical validity and quality of recordings: replay, audit, metrics, step times."""
