"""What all other rooms use: errors, types, durations, instants, spelling. Standard library only."""
