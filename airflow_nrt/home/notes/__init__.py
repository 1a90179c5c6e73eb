"""What a home holds for people to look at. Nothing of it decides what a report publishes."""
