"""What holds the files of homes, and what is asked of it."""
