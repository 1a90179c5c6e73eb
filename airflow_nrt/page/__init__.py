"""The page: what homes say of their reports, as JSON for a browser. It reads homes only, no sink, and no Spark."""
