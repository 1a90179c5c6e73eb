"""What becomes of input that can't be read."""
