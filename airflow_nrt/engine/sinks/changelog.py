"""Changelogs, from rows before and after a batch, in one of two forms.

In retract form an insert is `+I`, an update the pair `-U` and `+U`, a delete `-D`. In update form (upsert) a change is
a key, with its new row (`+I`, `+U`) or without one (`-D`).
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import Field
from airflow_nrt.model.internal_columns import AFTER, KEY, OP, key_of

ORDER = ("_nrt_entry", KEY, f"{OP} NOT IN ('-U', '-D')")
"""The order in which changes are emitted: the retraction of a key's old row comes first."""


def changelog(rows: DataFrame, fields: Sequence[Field], entry: int, more: Sequence[str] = ()) -> DataFrame:
    """The net changes of a batch: the fields, `_nrt_op`, `_nrt_key`, and `_nrt_entry`, the log entry before the batch.

    A key has at most one row before and one row after. `more` are columns that are equal in all rows of a key.
    """
    values = ", ".join(quote(field.name) for field in fields)
    sides = f"(PARTITION BY {KEY} ORDER BY {AFTER})"
    other = f"IF({AFTER}, lag(_nrt_row) OVER {sides}, lead(_nrt_row) OVER {sides}) AS _nrt_other"
    pairs = rows.selectExpr(KEY, AFTER, *more, f"struct({values}) AS _nrt_row").selectExpr("*", other)
    same = " AND ".join(f"{_comparable('_nrt_row', field)} <=> {_comparable('_nrt_other', field)}" for field in fields)
    op = f"IF(_nrt_other IS NULL, IF({AFTER}, '+I', '-D'), IF({AFTER}, '+U', '-U')) AS {OP}"
    return pairs.where(f"_nrt_other IS NULL OR NOT ({same})").selectExpr(
        "_nrt_row.*", *more, op, KEY, f"CAST({entry} AS BIGINT) AS _nrt_entry"
    )


def by_key(rows: DataFrame, key: Sequence[str]) -> DataFrame:
    """Rows that change, identified by these columns."""
    return rows.selectExpr(f"* EXCEPT ({KEY})", f"{key_of([quote(name) for name in key])} AS {KEY}")


def in_update_form(
    changes: DataFrame, fields: Sequence[Field], key: Sequence[str], more: Sequence[str] = ()
) -> DataFrame:
    """A changelog by this key, without the old rows: a delete has only the key. `more` as in `changelog`."""
    values = [
        quote(field.name) if field.name in key else f"IF({OP} = '-D', NULL, {quote(field.name)}) AS {quote(field.name)}"
        for field in fields
    ]
    return changes.where(f"{OP} <> '-U'").selectExpr(*values, *more, OP, KEY, "_nrt_entry")


def _comparable(side: str, field: Field) -> str:
    """SQL of a value of a side, in a form that can be compared.

    >>> from airflow_nrt.basics.types import DataType
    >>> tags = DataType("MAP", children=(("key", DataType("STRING")), ("value", DataType("INT"))))
    >>> print(_comparable("o", Field("tags", tags)))
    array_sort(map_entries(o.`tags`))
    """
    value = f"{side}.{quote(field.name)}"
    return f"array_sort(map_entries({value}))" if field.type.name in ("MAP", "MULTISET") else value
