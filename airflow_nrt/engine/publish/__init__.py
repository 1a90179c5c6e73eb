"""From staged results to what readers see."""
