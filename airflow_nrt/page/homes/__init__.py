"""The homes that this host finds, and their content, which is read again only if it has changed."""
