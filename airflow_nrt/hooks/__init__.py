"""Connections to reports."""
