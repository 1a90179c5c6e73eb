"""Files that others may read or write as well: they appear whole, belong to their user, and say their format."""
