"""Reports that are Python programs, and Python functions of a report: their modules, as they travel."""
