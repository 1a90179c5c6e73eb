"""Rows with a part and an offset, and the ranges of the log that they are of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.internal import InternalFunction

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.engine.sources.place import BLOCK, FILE, INDEX, NUMBER
from airflow_nrt.engine.spark.given_rows import given_rows
from airflow_nrt.home.log.splits import SourceRange

PART, OFFSET = "_nrt_part", "_nrt_offset"


def placed(rows: DataFrame, ranges: Sequence[SourceRange], numbers: Mapping[str, int], number: str) -> DataFrame:
    """The same as `in_ranges` for rows of these ranges alone. `number` is SQL of the number of a row's partition.

    A batch of a stream has one range of each partition, so that a row finds it by that number.
    """
    topics, parts = {one.part.rpartition("-")[0] for one in ranges}, {one.part for one in ranges}
    if len(topics) > 1 or len(parts) < len(ranges):
        return in_ranges(rows, ranges, numbers)
    of = {int(one.part.rpartition("-")[2]): one for one in ranges}

    def found(value: Callable[[SourceRange], str], kind: str) -> str:
        """SQL of what a row takes from its range.

        get(array(CAST(3 AS BIGINT), CAST(7 AS BIGINT)), _nrt_partition)
        """
        values = (f"CAST({value(of[n]) if n in of else 'NULL'} AS {kind})" for n in range(max(of) + 1))
        return f"get(array({', '.join(values)}), {number})"

    return rows.selectExpr(
        "*",
        f"{found(lambda one: string_literal(one.name), 'STRING')} AS {FILE}",
        f"{found(lambda one: str(numbers.get(one.name, 'NULL')), 'BIGINT')} AS {NUMBER}",
        f"{found(lambda one: str(one.start), 'BIGINT')} AS {BLOCK}",
        f"{OFFSET} - {found(lambda one: str(one.start), 'BIGINT')} AS {INDEX}",
    )


def in_ranges(rows: DataFrame, ranges: Sequence[SourceRange], numbers: Mapping[str, int]) -> DataFrame:
    """The rows of these ranges, each with the name of its range, its place there, and the number of the range.

    Rows have a part and an offset. Those of no range are left out.
    """
    of_parts: dict[str, list[SourceRange]] = defaultdict(list)
    for one in sorted(ranges, key=lambda one: one.start):
        if not one.is_empty:
            of_parts[one.part].append(one)
    known = [
        (
            part,
            _array(one.start for one in of),
            _array(one.end for one in of),
            _array(numbers.get(one.name, -1) for one in of),
        )
        for part, of in of_parts.items()
    ]
    arrays = {f"_nrt_{name}": "STRING" for name in ("starts", "ends", "numbers")}
    typed = (f"CAST(split({name}, ',') AS ARRAY<BIGINT>) AS {name}" for name in arrays)
    table = given_rows(rows.sparkSession, {PART: "STRING", **arrays}, known).selectExpr(PART, *typed)
    joined = rows.join(F.broadcast(table), PART)
    at = InternalFunction._invoke_internal_function_over_columns("array_binary_search", F.col("_nrt_starts"), OFFSET)
    # Between two beginnings the search gives the later one, negative.
    joined = joined.withColumn("_nrt_at", at).withColumn("_nrt_at", F.expr("IF(_nrt_at < 0, -_nrt_at - 2, _nrt_at)"))
    inside = joined.where(f"_nrt_at >= 0 AND {OFFSET} < _nrt_ends[_nrt_at]")
    found = inside.selectExpr(
        "*",
        f"_nrt_starts[_nrt_at] AS {BLOCK}",
        f"{OFFSET} - _nrt_starts[_nrt_at] AS {INDEX}",
        f"nullif(_nrt_numbers[_nrt_at], -1L) AS {NUMBER}",
        f"concat({PART}, '@', _nrt_starts[_nrt_at], '-', _nrt_ends[_nrt_at]) AS {FILE}",
    )
    return found.drop("_nrt_starts", "_nrt_ends", "_nrt_numbers", "_nrt_at")


def _array(values: Iterable[int]) -> str:
    return ",".join(map(str, values))
