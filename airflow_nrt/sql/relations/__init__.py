"""Queries as relations: columns, kept rows, unions, rankings."""
