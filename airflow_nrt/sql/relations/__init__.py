"""What planning knows of queries: relations, their keys, what is read of them, what was found."""
