"""Expressions and functions of a program, as PyFlink writes them."""
