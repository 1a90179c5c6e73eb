"""What everything else is written in: errors, types, lengths of time and points in it. Standard library only."""
