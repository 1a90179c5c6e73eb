"""The versions of windows: which there are, and how an older one comes back."""
