"""What a log says about the past, for people: results, batches, rows that are left out. Kept by ranges of entries, so
that nobody reads all entries for it."""
