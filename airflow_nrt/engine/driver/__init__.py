"""The stream driver: arrivals become batches, batches become entries of the log."""
