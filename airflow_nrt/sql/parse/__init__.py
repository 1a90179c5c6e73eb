"""The parser: tokens, statements, queries, expressions."""
