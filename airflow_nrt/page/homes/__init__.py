"""The homes that this host finds, and what is read of each: again only where it has changed."""
