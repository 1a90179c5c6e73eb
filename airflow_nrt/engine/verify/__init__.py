"""The proof that what was published is what the batch computes."""
