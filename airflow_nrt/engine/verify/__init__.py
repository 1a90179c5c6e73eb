"""The proof that the published results are those of the batch."""
