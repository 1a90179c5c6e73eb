"""Windows and results of which a sink sees several versions."""
