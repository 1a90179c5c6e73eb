"""Compares published rows with the batch over all rows, and over the rows that counted: five classes of rows.

equal      published as the batch computes it from all rows (S = B)
explained  different from that, and equal to the batch over the rows that counted when it was published (S = B|arr)
missing, extra, different   the rest, which is unexplained
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.basics.fractions import cut, holds_coarse
from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.basics.times_of_day import as_field, times_as, with_times
from airflow_nrt.basics.types import STRING, DataType, Field
from airflow_nrt.describe.verdict import DIFFERENT, EQUAL, EXPLAINED, EXTRA, MISSING
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.plan import Insert

CLASS = "_nrt_class"
_SIDE, _NUMBER = "_nrt_side", "_nrt_number"
_S, _B, _A = _LETTERS = ("_nrt_s", "_nrt_b", "_nrt_a")
"""Published rows, the batch, and the batch over the rows that counted. Columns of sinks have other names."""


@dataclass(frozen=True)
class Sides:
    """Rows with the sink's columns and `_nrt_end`. `arrived` is None if no row was late: then it equals the batch."""

    published: DataFrame
    batch: DataFrame
    arrived: DataFrame | None


def classify(insert: Insert, sides: Sides, tolerance: float) -> DataFrame:
    """`_nrt_end`, the key as text, the published and the batch's values as text, and `_nrt_class`, a row each.

    FLOAT and DOUBLE are equal if they differ by no more than the tolerance, relative above 1 (`tolerance_of`).
    """
    fields = [Field(field.name, times_as(field.type, STRING)) for field in insert.query.fields]
    sides = _as_read(insert.query.fields, sides)
    if insert.key is None:
        return _classify_multiset(fields, sides, tolerance)
    keys = [WINDOW_END, *(quote(name) for name in insert.key)]
    values = [field for field in fields if field.name not in insert.key]
    parts = [_side(frame, keys, values, letter) for letter, frame in _letters(sides)]
    by = keys
    if sink_of(insert).blurred(insert).intersection(insert.key):
        # Rows whose keys a reader can't distinguish are compared in the order of their values.
        number = f"row_number() OVER (PARTITION BY {', '.join(keys)} ORDER BY _nrt_content) AS {_NUMBER}"
        parts, by = [part.selectExpr("*", number) for part in parts], [*keys, _NUMBER]
    together = reduce(DataFrame.unionAll, parts)
    counted = together.groupBy(*by).agg(
        *(F.expr(f"count_if({_SIDE} = '{letter}') AS {letter}_n") for letter in _LETTERS),
        *(F.expr(f"max(IF({_SIDE} = '{letter}', _nrt_content, NULL)) AS {letter}") for letter in _LETTERS),
    )
    arrived = _A if sides.arrived is not None else _B
    same_batch = f"({_S}_n = {_B}_n AND {_S}_n <= 1 AND {_same(_S, _B, values, tolerance)})"
    same_arrived = f"({_S}_n = {arrived}_n AND {_S}_n <= 1 AND {_same(_S, arrived, values, tolerance)})"
    kind = (
        f"CASE WHEN {same_batch} THEN '{EQUAL}' WHEN {same_arrived} THEN '{EXPLAINED}' WHEN {_S}_n = 0 THEN "
        f"'{MISSING}' WHEN {_S}_n > 1 OR {_B}_n + {arrived}_n = 0 THEN '{EXTRA}' ELSE '{DIFFERENT}' END"
    )
    named = [
        f"concat({string_literal(name + '=')}, coalesce(CAST({quote(name)} AS STRING), 'NULL'))" for name in insert.key
    ]
    shown = f"concat_ws(' ', {', '.join(named)})" if named else "''"
    return counted.selectExpr(
        WINDOW_END, f"{shown} AS key", f"to_json({_S}) AS published", f"to_json({_B}) AS expected", f"{kind} AS {CLASS}"
    )


def _as_read(fields: Sequence[Field], sides: Sides) -> Sides:
    """The rows as a reader sees them: texts for TIME, and of other times the digits of their types, because a sink
    writes no more of them."""
    if not any(field.type.holds("TIME") or holds_coarse(field.type) for field in fields):
        return sides
    shown = [f"{_value_as_read(field)} AS {quote(field.name)}" for field in fields]

    def converted(frame: DataFrame) -> DataFrame:
        return frame.selectExpr(*shown, WINDOW_END)

    arrived = None if sides.arrived is None else converted(sides.arrived)
    return Sides(converted(sides.published), converted(sides.batch), arrived)


def _value_as_read(field: Field) -> str:
    return with_times(cut(quote(field.name), field.type), field.type, as_field)


def _letters(sides: Sides) -> list[tuple[str, DataFrame]]:
    pairs = [(_S, sides.published), (_B, sides.batch)]
    return pairs if sides.arrived is None else [*pairs, (_A, sides.arrived)]


def _side(frame: DataFrame, keys: list[str], values: Sequence[Field], letter: str) -> DataFrame:
    casts = [(f"CAST({quote(field.name)} AS {field.type.spark})", field) for field in values]
    content = ", ".join(f"{comparable(cast, field.type)} AS {quote(field.name)}" for cast, field in casts)
    struct = f"struct({content})" if values else "struct(0 AS nothing)"
    return frame.selectExpr(*keys, f"{struct} AS _nrt_content", f"'{letter}' AS {_SIDE}")


def _same(left: str, right: str, values: Sequence[Field], tolerance: float) -> str:
    """SQL predicate: two rows have equal values, FLOAT and DOUBLE within the tolerance. Never NULL.

    >>> print(_same("s", "b", [Field("n", DataType("BIGINT"))], 0.0))
    (((s IS NULL) = (b IS NULL)) AND coalesce((s.`n` <=> b.`n`), false))
    """
    tests = [f"(({left} IS NULL) = ({right} IS NULL))"]
    for field in values:
        a, b = f"{left}.{quote(field.name)}", f"{right}.{quote(field.name)}"
        same = f"({a} <=> {b})"
        if field.type.is_approximate and tolerance:
            # Of a NaN or an infinity the difference is not greater than any tolerance.
            largest = f"greatest(abs({a}), abs({b}), 1D)"
            near = f"{largest} < DOUBLE('Infinity') AND abs({a} - {b}) <= {tolerance}D * {largest}"
            same = f"({same} OR ({near}))"
        tests.append(f"coalesce({same}, false)")
    return "(" + " AND ".join(tests) + ")"


def _classify_multiset(fields: Sequence[Field], sides: Sides, tolerance: float) -> DataFrame:
    """Compares whole rows, for inserts without a key; FLOAT and DOUBLE by their first digits, within the tolerance."""
    whole = [WINDOW_END, *(f"{_rounded(field, tolerance)} AS {quote(field.name)}" for field in fields)]
    by = [WINDOW_END, *(quote(field.name) for field in fields)]
    together = reduce(
        DataFrame.unionAll, [frame.selectExpr(*whole, f"'{letter}' AS {_SIDE}") for letter, frame in _letters(sides)]
    )
    counted = together.groupBy(*by).agg(
        *(F.expr(f"count_if({_SIDE} = '{letter}') AS {letter}_n") for letter in _LETTERS)
    )
    arrived = _A if sides.arrived is not None else _B
    kind = (
        f"CASE WHEN {_S}_n = {_B}_n THEN '{EQUAL}' WHEN {_S}_n = {arrived}_n THEN '{EXPLAINED}' "
        f"WHEN {_S}_n < {_B}_n THEN '{MISSING}' ELSE '{EXTRA}' END"
    )
    content = f"to_json(struct({', '.join(quote(field.name) for field in fields)}))"
    return counted.selectExpr(
        WINDOW_END,
        "'' AS key",
        f"IF({_S}_n > 0, concat({content}, ' x', {_S}_n), NULL) AS published",
        f"IF({_B}_n > 0, concat({content}, ' x', {_B}_n), NULL) AS expected",
        f"{kind} AS {CLASS}",
    )


def without(insert: Insert, rows: DataFrame, others: DataFrame, tolerance: float) -> DataFrame:
    """The difference of two multisets of rows."""
    whole = ", ".join([WINDOW_END, *(_rounded(field, tolerance) for field in insert.query.fields)])
    number = f"row_number() OVER (PARTITION BY {whole} ORDER BY 1)"
    numbered = [frame.selectExpr("*", f"struct({whole}, {number}) AS _nrt_one") for frame in (rows, others)]
    same = F.expr("a._nrt_one <=> b._nrt_one")
    return numbered[0].alias("a").join(numbered[1].alias("b"), same, "left_anti").drop("_nrt_one")


def _rounded(field: Field, tolerance: float) -> str:
    """SQL of a value that is equal to others within the tolerance.

    >>> print(_rounded(Field("mean", DataType("DOUBLE")), 1e-9))
    format_string('%.8e', CAST(`mean` AS DOUBLE))
    """
    name = quote(field.name)
    if not (field.type.is_approximate and tolerance):
        return comparable(name, field.type)
    decimals = max(round(-math.log10(tolerance)) - 1, 0)
    return f"format_string('%.{decimals}e', CAST({name} AS DOUBLE))"


def comparable(sql: str, kind: DataType) -> str:
    """SQL of a value in which the entries of maps are sorted, so that it can be compared.

    >>> print(comparable("a", DataType("MAP", children=(("key", DataType("STRING")), ("value", DataType("INT"))))))
    array_sort(transform(map_entries(a), e -> struct(e.key AS key, e.value AS value)))
    """
    if not kind.holds("MAP"):
        return sql
    if kind.name == "MAP":
        value = comparable("e.value", kind.children[1][1])
        return f"array_sort(transform(map_entries({sql}), e -> struct(e.key AS key, {value} AS value)))"
    if kind.name == "ARRAY":
        return f"transform({sql}, a -> {comparable('a', kind.children[0][1])})"
    fields = ", ".join(f"{comparable(f'{sql}.{quote(name)}', child)} AS {quote(name)}" for name, child in kind.children)
    return f"IF({sql} IS NULL, NULL, struct({fields}))"
