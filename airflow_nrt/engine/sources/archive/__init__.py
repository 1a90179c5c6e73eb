"""Topics that are read from the archive of another home first: records that Kafka may have removed by now."""
