"""Where the tables of a program come from, and where its inserts go."""
