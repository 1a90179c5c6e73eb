"""The Spark session of a report, local or on a cluster, and how it runs plans."""
