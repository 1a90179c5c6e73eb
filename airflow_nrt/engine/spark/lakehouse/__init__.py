"""Tables of a lakehouse in the session of Spark."""
