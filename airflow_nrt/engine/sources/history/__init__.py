"""Topics whose past is read from another table first: files, Delta or Iceberg."""
