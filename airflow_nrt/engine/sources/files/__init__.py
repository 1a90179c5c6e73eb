"""Files of each format as rows."""
