"""What a report says of itself, for people: its steps, its bounds, its cautions, its verdicts."""
