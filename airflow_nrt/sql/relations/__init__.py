"""Queries as relations: columns, rows that are kept, unions, rankings."""
