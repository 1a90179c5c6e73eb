"""Rows as JSON lines: DECIMAL as a string with its scale, TIMESTAMP with its fraction digits, an instant with `Z`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from pyspark.sql import DataFrame

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.times_of_day import as_field
from airflow_nrt.basics.types import DataType, Field

_SPECIAL = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def json_lines(frame: DataFrame, fields: Sequence[Field]) -> DataFrame:
    """The rows as one string column `value`, the fields in order, NULL as null."""
    return frame.selectExpr(f"to_json({_row(fields)}, map('ignoreNullFields', 'false')) AS value")


def change_lines(frame: DataFrame, fields: Sequence[Field], op: str) -> DataFrame:
    """The rows as one string column `value`, each with its operation: `{"op": "+I", "row": {…}}`. `op` is its SQL."""
    change = f"struct({op} AS op, {_row(fields)} AS row)"
    return frame.selectExpr(f"to_json({change}, map('ignoreNullFields', 'false')) AS value")


def _row(fields: Sequence[Field]) -> str:
    """SQL of the values of a row, each as `_rendered`.

    >>> print(_row([Field("id", DataType("INT")), Field("day", DataType("DATE"))]))
    struct(`id` AS `id`, CAST(`day` AS STRING) AS `day`)
    """
    items = ", ".join(f"{_rendered(quote(field.name), field.type)} AS {quote(field.name)}" for field in fields)
    return f"struct({items})"


def _rendered(sql: str, kind: DataType) -> str:
    """SQL of a value as JSON has it: exact numbers and times are texts.

    >>> print(_rendered("price", DataType("DECIMAL", 10, 2)))
    CAST(CAST(price AS DECIMAL(10,2)) AS STRING)
    """
    if kind.name == "DECIMAL":
        return f"CAST(CAST({sql} AS {kind.spark}) AS STRING)"
    if kind.is_timestamp:
        digits = max(kind.precision or 0, 3)
        zone = "'Z'" if kind.name == "TIMESTAMP_LTZ" else ""
        return f'date_format({sql}, "yyyy-MM-dd HH:mm:ss.{"S" * digits}{zone}")'
    if kind.name == "TIME":
        return as_field(sql)
    if kind.name == "DATE":
        return f"CAST({sql} AS STRING)"
    if kind.holds("DECIMAL", "TIMESTAMP", "TIMESTAMP_LTZ", "DATE", "TIME"):
        return _rendered_inside(sql, kind)
    return sql


def _rendered_inside(sql: str, kind: DataType) -> str:
    """The same for a value that has such values inside.

    >>> print(_rendered_inside("a", DataType("ARRAY", children=(("element", DataType("DATE")),))))
    transform(a, e -> CAST(e AS STRING))
    """
    parts = [child for _, child in kind.children]
    if kind.name == "ARRAY":
        return f"transform({sql}, e -> {_rendered('e', parts[0])})"
    if kind.name == "MAP":
        keys = f"transform_keys({sql}, (k, v) -> {_rendered('k', parts[0])})"
        return f"transform_values({keys}, (k, v) -> {_rendered('v', parts[1])})"
    fields = ", ".join(f"{_rendered(f'{sql}.{quote(name)}', child)} AS {quote(name)}" for name, child in kind.children)
    return f"IF({sql} IS NULL, NULL, struct({fields}))"


def read_lines(directory: Path) -> Iterator[str]:
    """The lines of `json_lines`, read back from a text file, in compact JSON."""
    for file in sorted(directory.glob("part-*.txt")):
        with open(file, encoding="utf-8") as lines:
            for line in lines:
                yield json.dumps(json.loads(line), ensure_ascii=False, separators=(",", ":"))
