"""What a person at a terminal sees: colours, a line that is drawn again, a stream as it runs."""
