"""A script or a program as the plan of a report."""
