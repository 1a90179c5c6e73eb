"""Rowtimes and watermarks: which rows are accepted, and which watermark they propose."""
