"""Connector `jdbc`: results become visible in one transaction, with a marker that says which entry they are of."""
