"""The late and the rejected rows of a home."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from airflow_nrt.basics.errors import InputError


@dataclass(frozen=True)
class LateRequest:
    """The location of the home, the `group` that shares it, and how many rows are wanted; 0: all."""

    home: str
    group: str | None = None
    limit: int = 0

    def __post_init__(self) -> None:
        """Raises InputError for a negative number of rows."""
        if self.limit < 0:
            raise InputError(f"--limit: {self.limit} is no number of rows")


@dataclass(frozen=True)
class LateRows:
    """`late` rows, of these the ones `dropped` from all windows, the rows `rejected`, by reason, and the fields that
    are read as NULL, whose rows count.

    `rows` are the first of them, as the ledger has them: each with its log entry, its `kind` (late, rejected), and, if
    it is late, the operator. A field that is read as NULL has a rejected one's kind.
    """

    late: int
    dropped: int
    rejected: Mapping[str, int]
    null_fields: int
    rows: tuple[Mapping[str, Any], ...]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)
