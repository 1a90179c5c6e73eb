"""What a driver writes below a home: its directories, and the files that an entry names."""
