"""Files that other processes read and write too: whole, private to their user, with a format number."""
