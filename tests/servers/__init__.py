"""Real servers for tests, on free ports of this host, without Docker."""
