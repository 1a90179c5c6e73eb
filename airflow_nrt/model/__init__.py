"""The plan of a report and its parts, as data, with the arithmetic of windows and time."""
