"""The commands that show what a home has, or change what becomes of it."""
