"""Reports that are Python programs, Python functions of a report, and the modules that are shipped with them."""
