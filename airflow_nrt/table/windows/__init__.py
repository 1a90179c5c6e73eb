"""Windows of a program: group windows, and row windows."""
