"""What tasks say to people: in their logs, in the rendered report, and when they fail."""
