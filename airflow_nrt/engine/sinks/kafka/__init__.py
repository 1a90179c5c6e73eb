"""Connectors `kafka` and `upsert-kafka` as sinks: at least once, with headers by which a consumer counts each once."""
