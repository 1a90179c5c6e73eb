"""Rows that a stream keeps for a query until they can be computed: which columns, how long, and who shares them."""
