"""The page: the state of reports from their homes, as JSON for a browser. It reads homes only, no sink, and uses no
Spark."""
