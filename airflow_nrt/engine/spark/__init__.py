"""The Spark session of a report, on a machine or a cluster, and how it runs plans."""
