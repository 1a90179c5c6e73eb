"""Who may see a home, and which requests may change one."""
