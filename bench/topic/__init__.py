"""From a topic of Kafka into a table of PostgreSQL: how fast, how late, and how it bears kills."""
