"""Messages of tasks for people: in their logs, in the rendered report, and when they fail."""
