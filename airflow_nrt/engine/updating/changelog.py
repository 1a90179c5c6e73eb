"""From rows before and behind a batch to what changed: `+I`, `-U` and `+U`, `-D`."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.report.plan import AFTER, KEY
from airflow_nrt.report.spelling import quote
from airflow_nrt.report.types import Field

OP = "_nrt_op"
ORDER = ("_nrt_batch", KEY, f"{OP} NOT IN ('-U', '-D')")
"""In this order changes are told: what a key had before goes first."""


def changelog(rows: DataFrame, fields: Sequence[Field], batch: int) -> DataFrame:
    """The net of a batch: the fields, `_nrt_op`, `_nrt_key` and `_nrt_batch`, the number of the batch.

    No key has two rows on one side.
    """
    row = f"struct({', '.join(quote(field.name) for field in fields)})"
    sides = rows.selectExpr(KEY, AFTER, f"{row} AS _nrt_row")
    pairs = sides.groupBy(KEY).agg(
        F.expr(f"any_value(_nrt_row) FILTER (WHERE NOT {AFTER})").alias("old"),
        F.expr(f"any_value(_nrt_row) FILTER (WHERE {AFTER})").alias("new"),
    )
    same = " AND ".join(f"{_comparable('old', field)} <=> {_comparable('new', field)}" for field in fields)
    differing = pairs.where(f"old IS NULL OR new IS NULL OR NOT ({same})")
    steps = (
        "CASE WHEN old IS NULL THEN array(struct('+I' AS op, new AS row)) "
        "WHEN new IS NULL THEN array(struct('-D' AS op, old AS row)) "
        "ELSE array(struct('-U' AS op, old AS row), struct('+U' AS op, new AS row)) END"
    )
    told = differing.selectExpr(KEY, f"explode({steps}) AS step")
    values = [f"step.row.{quote(field.name)} AS {quote(field.name)}" for field in fields]
    return told.selectExpr(*values, f"step.op AS {OP}", KEY, f"CAST({batch} AS BIGINT) AS _nrt_batch")


def _comparable(side: str, field: Field) -> str:
    value = f"{side}.{quote(field.name)}"
    return f"array_sort(map_entries({value}))" if field.type.name in ("MAP", "MULTISET") else value
