"""From text to syntax: words, statements, queries, expressions."""
