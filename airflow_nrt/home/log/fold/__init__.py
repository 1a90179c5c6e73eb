"""The fold of the log, and what of it is kept so that nobody reads the log from its first entry to go on."""
