"""The stream driver: what arrives becomes batches, batches become entries of the log."""
