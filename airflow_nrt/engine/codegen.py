"""Whether Spark compiles its plans to Java or interprets them.

Each micro-batch has its own watermark in its plans, so that no batch finds the code of the one before in Spark's cache.
Compiling pays where there are many rows, and takes longer than all the rest where there are few
(`docs/performance.md`). Both ways give the same rows.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import SparkSession

from airflow_nrt.report.entries import SourceFile, StateFile

MANY_ROWS = 50_000
_BYTES_OF_A_ROW = 20
"""Of a short one: where it can't be known, plans are rather compiled."""


def suit(spark: SparkSession, files: Iterable[SourceFile | StateFile]) -> None:
    """From now on the session's plans are compiled if these files, which they read, hold many rows."""
    rows = sum(file.rows if isinstance(file, StateFile) else file.size // _BYTES_OF_A_ROW for file in files)
    compiled = rows >= MANY_ROWS
    spark.conf.set("spark.sql.codegen.wholeStage", str(compiled).lower())
    spark.conf.set("spark.sql.codegen.factoryMode", "FALLBACK" if compiled else "NO_CODEGEN")
