"""Window operators: rows to partials (absorb), partials of slices to results of windows (fire)."""
