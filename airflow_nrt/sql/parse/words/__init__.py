"""The words of a script: how a text is cut into tokens, which words are reserved, and escapes in texts."""
