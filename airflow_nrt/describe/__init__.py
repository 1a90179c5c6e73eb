"""Descriptions of a report for people: its steps, its bounds, its cautions, its verdicts."""
