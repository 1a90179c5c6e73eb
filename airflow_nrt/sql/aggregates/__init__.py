"""GROUP BY inside windows."""
