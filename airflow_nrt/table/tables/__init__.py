"""Tables of a program, and what is between a table and the next one."""
