"""What a file or a record contains, as columns: a module for each format."""
