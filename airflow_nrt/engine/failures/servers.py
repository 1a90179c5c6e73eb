"""A server that does not answer: it may come back, and nothing is lost until then."""

from __future__ import annotations

from airflow_nrt.basics.errors import NrtError


class UnreachableError(NrtError):
    """A server does not answer. A driver waits for it."""

    passes = True
