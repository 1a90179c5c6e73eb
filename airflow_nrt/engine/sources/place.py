"""The place of a row on arrival: its split, the number of the split, and the place in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.basics.spelling import bigint, string_literal
from airflow_nrt.engine.spark.given_rows import given_rows
from airflow_nrt.engine.spark.paths import bare_file
from airflow_nrt.model.tables import SOURCE_FILE

FILE, NUMBER, BLOCK, INDEX = SOURCE_FILE, "_nrt_number", "_nrt_block", "_nrt_index"
"""The index grows along a block, so that (number, block, index) grows along a source.

It has at most 33 bits: a row that becomes several needs the other bits (`sql/from_clause/laterals.py`).
"""
MOST_INDEX = 2**33 - 1
IS_PAST = f"startswith({FILE}, 'file:/')"
"""SQL predicate of rows of a topic: one comes from a file of its history. No name of a topic has a colon."""
_FEW_FILES = 32
"""Of so few, a row finds its own among the cases of an expression. A table that is joined costs each batch a job."""


def identity() -> str:
    """SQL of what identifies a row, whatever batch or split it was read in: its file and its number there.

    A range of a topic is no file: a row of it has its partition and its offset.

    >>> print(identity())
    concat(regexp_replace(regexp_replace(_nrt_file, '^([^/]+)@[0-9]+-[0-9]+$', '$1'), '^file:/+', '/'), '@',
    _nrt_block + _nrt_index)
    """
    holder = bare_file(f"regexp_replace({FILE}, '^([^/]+)@[0-9]+-[0-9]+$', '$1')")
    return f"concat({holder}, '@', {BLOCK} + {INDEX})"


def known_files(rows: DataFrame, known: Mapping[str, Sequence[int | None]], *columns: str) -> DataFrame:
    """The rows with these columns of their files. `known` are their values, BIGINT, by the URI of a file.

    An unknown file fails the job, so that no row is lost.
    """
    unknown = f"raise_error(concat('the file ', {FILE}, ' is spelled otherwise than the log spells it'))"
    if 0 < len(known) <= _FEW_FILES:
        found = (_of_files(dict(zip(known, values)), unknown) for values in zip(*known.values()))
        return rows.selectExpr("*", *(f"{value} AS {name}" for value, name in zip(found, columns)))
    kinds = {FILE: "STRING", **dict.fromkeys(columns, "BIGINT")}
    table = given_rows(rows.sparkSession, kinds, [(file, *values) for file, values in known.items()])
    joined = rows.join(F.broadcast(table.withColumn("_nrt_known", F.lit(True))), FILE, "left")
    first = F.expr(f"IF(_nrt_known, {columns[0]}, {unknown})")
    return joined.withColumn(columns[0], first).drop("_nrt_known")


def _of_files(values: Mapping[str, int | None], unknown: str) -> str:
    """SQL of what a row takes from its file.

    CASE _nrt_file WHEN 'file:/a' THEN 1L WHEN 'file:///a' THEN 1L ELSE raise_error('what is that?') END
    """
    cases = (f"WHEN {string_literal(file)} THEN {bigint(value)}" for file, value in values.items())
    return f"CASE {FILE} {' '.join(cases)} ELSE {unknown} END"
