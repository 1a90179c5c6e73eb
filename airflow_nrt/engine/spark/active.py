"""The session of this process, where a call has none at hand."""

from __future__ import annotations

from pyspark.sql import SparkSession


def active_session() -> SparkSession:
    """Whichever thread asks."""
    session = SparkSession._instantiatedSession
    assert session is not None, "no session of Spark has begun"
    return session
