"""The place of a row on arrival: its split, the number of the split, and the place in it."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.spark.paths import bare_file
from airflow_nrt.model.tables import SOURCE_FILE

FILE, NUMBER, BLOCK, INDEX = SOURCE_FILE, "_nrt_number", "_nrt_block", "_nrt_index"
"""The index grows along a block, so that (number, block, index) grows along a source.

It has at most 33 bits: a row that becomes several needs the other bits (`sql/from_clause/laterals.py`).
"""
MOST_INDEX = 2**33 - 1


def identity() -> str:
    """SQL of what identifies a row, whatever batch or split it was read in: its file and its number there.

    A range of a topic is no file: a row of it has its partition and its offset.

    >>> print(identity())
    concat(regexp_replace(regexp_replace(_nrt_file, '^([^/]+)@[0-9]+-[0-9]+$', '$1'), '^file:/+', '/'), '@',
    _nrt_block + _nrt_index)
    """
    holder = bare_file(f"regexp_replace({FILE}, '^([^/]+)@[0-9]+-[0-9]+$', '$1')")
    return f"concat({holder}, '@', {BLOCK} + {INDEX})"


def known_files(rows: DataFrame, known: DataFrame, column: str) -> DataFrame:
    """The rows with the column of their file in `known`. An unknown file fails the job, so that no row is lost."""
    unknown = f"raise_error(concat('the file ', {FILE}, ' is spelled otherwise than the log spells it'))"
    joined = rows.join(F.broadcast(known.withColumn("_nrt_known", F.lit(True))), FILE, "left")
    return joined.withColumn(column, F.expr(f"IF(_nrt_known, {column}, {unknown})")).drop("_nrt_known")
