"""Joins, and subqueries that are planned as joins."""
