"""Real servers on free ports of this host, without containers: of a demonstration, and of tests."""
