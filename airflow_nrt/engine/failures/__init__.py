"""Failures in Spark, in Java or around them, and what to do about them."""
