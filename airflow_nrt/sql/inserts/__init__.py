"""What an INSERT writes, how, and when."""
