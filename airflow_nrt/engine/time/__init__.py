"""Rowtime and watermark: which rows are accepted, how far time has come."""
