"""Joins, and subqueries that are joins."""
