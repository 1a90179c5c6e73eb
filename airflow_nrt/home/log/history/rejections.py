"""What of a batch's input is in no result, by the reasons that its commit has."""

from __future__ import annotations

from collections.abc import Mapping

from airflow_nrt.home.ledger import NO_VALUE


def rejected_rows(by_reason: Mapping[str, int]) -> int:
    """How many rows, unreadable files and lost ranges these reasons reject."""
    return sum(by_reason.values()) - null_fields(by_reason)


def null_fields(by_reason: Mapping[str, int]) -> int:
    """How many fields are read as NULL, as they could not be parsed."""
    return by_reason.get(NO_VALUE, 0)
