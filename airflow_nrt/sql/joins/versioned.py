"""Versioned tables: each row is the version of its key from its rowtime on, until the next one.

A table with a PRIMARY KEY and a watermark is one, and so is a view of the last row of each key (`last_rows.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.basics.types import DataType
from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.relations.relation import Relation


@dataclass(frozen=True)
class Versioned:
    """The rows of a versioned table as they arrive, their `key`, and the type of their rowtime.

    With `ends` some rows end the version of their key: those whose `_nrt_op` is -D.
    """

    name: str
    relation: Relation
    key: tuple[str, ...]
    time: DataType
    ends: bool


def versioned(
    name: str, relation: Relation, key: tuple[str, ...], time: DataType | None, at: Place, ends: bool = False
) -> Versioned:
    """The table of these rows. Raises SqlError without a key, or without a rowtime."""
    if not key:
        raise SqlError(
            "Temporal Table Join requires primary key in versioned table, but no primary key can be found: declare "
            f"PRIMARY KEY (…) NOT ENFORCED in {name!r}",
            at,
        )
    if time is None:
        raise SqlError(
            "Event-Time Temporal Table Join requires both primary key and row time attribute in versioned table, but "
            f"no row time attribute can be found: declare WATERMARK FOR … in {name!r}",
            at,
        )
    return Versioned(name, relation, key, time, ends)
