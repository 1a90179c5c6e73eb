"""What a restatement replaces is read back, and kept, before the log decides on it."""
