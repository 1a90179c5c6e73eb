"""Windows and results that are published in several versions."""
