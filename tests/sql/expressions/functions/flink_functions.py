"""What Flink 2.3 answered to expressions over a table of one row, and the means to ask this product the same.

`functions.jsonl` has a line an expression: Flink's type and value, or what it said instead. `functions_here.jsonl` has
those where this product means to differ: its value, an error at run time, or a refusal.
"""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame

from airflow_nrt.engine.functions.nulled_values import count_nulls
from airflow_nrt.engine.spark.query_frames import run_query
from airflow_nrt.model.internal_columns import POSITION, ROWTIME, SOURCE_HIDDEN
from airflow_nrt.sql.expressions.functions import FAMILIES
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.statements import parse_query
from airflow_nrt.sql.planner import plan_query

HERE = Path(__file__).parent
DDL = """
    CREATE TABLE t (
      i INT, n INT, b BIGINT, d DECIMAL(10, 3), f DOUBLE, s STRING, z STRING, ok BOOLEAN, ts TIMESTAMP(3), dt DATE,
      ni INT
    ) WITH ('connector' = 'filesystem', 'path' = '/t', 'format' = 'csv');
"""
ROW = """
    7 AS i, -7 AS n, 9000000000 AS b, CAST('12.345' AS DECIMAL(10, 3)) AS d, -2.5D AS f, 'Hello World' AS s,
    CAST(NULL AS STRING) AS z, true AS ok, TIMESTAMP_NTZ '2024-03-31 13:14:15.123' AS ts, DATE '2024-03-31' AS dt,
    CAST(NULL AS INT) AS ni
"""


def _lines(name: str) -> dict[str, dict[str, Any]]:
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return {one["e"]: one for one in map(json.loads, lines)}


@dataclass(frozen=True)
class Answer:
    """What Flink said, and where this product differs what it says: `value`, `error` or `refused`."""

    expression: str
    flink: Mapping[str, Any]
    here: Mapping[str, Any] | None

    @cached_property
    def function(self) -> str:
        """The function that the expression calls at its top, nothing for an operator."""
        node = parse_query(f"SELECT {self.expression} FROM t").items[0].expression
        if isinstance(node, ast.Unary):
            node = node.operand
        return node.name if isinstance(node, ast.Call) else "[ ]" if isinstance(node, ast.Index) else ""

    @property
    def is_refused(self) -> bool:
        return self.here is not None and "refused" in self.here

    @property
    def fails(self) -> bool:
        """At run time, or already when it is checked."""
        return "error" in self.here if self.here is not None else "x" in self.flink

    @property
    def value(self) -> Any:
        return self.flink["v"] if self.here is None else self.here["value"]


def answers() -> list[Answer]:
    differing = _lines("functions_here.jsonl")
    return [Answer(text, flink, differing.get(text)) for text, flink in _lines("functions.jsonl").items()]


def family_of(answer: Answer) -> str:
    return next((name for name, functions in FAMILIES.items() if answer.function in functions), "Operators")


def planned(expressions: Sequence[str]) -> Any:
    """The plan of one query with these columns. Raises InputError if one is refused."""
    items = ", ".join(f"{text} AS c{place}" for place, text in enumerate(expressions))
    return plan_query(DDL, f"SELECT {items} FROM t", Path("/base"))


def computed(table: DataFrame, expressions: Sequence[str]) -> list[tuple[str, Any]]:
    """Type and value of each, by one query."""
    plan = planned(expressions)
    count_nulls(table.sparkSession, plan)
    insert = plan.inserts[0]
    row = run_query(insert.query, {"t": table}).collect()[0]
    return [(field.type.flink, plain(row[field.name])) for field in insert.query.fields]


def one_row(spark: Any) -> DataFrame:
    place = {POSITION: "STRUCT<file: BIGINT, block: BIGINT, row: BIGINT, path: STRING>", ROWTIME: "BIGINT"}
    hidden = ", ".join(f"CAST(NULL AS {place.get(name, 'STRING')}) AS {name}" for name in SOURCE_HIDDEN)
    frame: DataFrame = spark.sql(f"SELECT {ROW}, {hidden}")
    # Not a literal any more: nothing is to be computed before it runs.
    return spark.createDataFrame(frame.collect(), frame.schema)


def plain(value: Any) -> Any:
    """A value as the recorded answers spell it."""
    match value:
        case Decimal():
            return format(value, "f")
        case datetime():
            return value.strftime("%Y-%m-%d %H:%M:%S.%f") + "000"
        case date():
            return value.isoformat()
        case bytes() | bytearray():
            return value.hex()
        case dict():
            return [[plain(key), plain(one)] for key, one in value.items()]
        case list() | tuple():
            return [plain(one) for one in value]
        case float() if math.isnan(value) or math.isinf(value):
            return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]
        case _:
            return value


def equal(kind: str, expected: Any, found: Any) -> bool:
    """Numbers of sixteen digits may differ in the last one: Java has two libraries for sines."""
    if kind.startswith("MAP") and expected is not None and found is not None:
        return sorted(expected, key=str) == sorted(found, key=str)
    if kind.startswith("TIMESTAMP_LTZ") and expected is not None:
        instant = expected.replace("T", " ").rstrip("Z")
        expected = (instant if "." in instant else instant + ".").ljust(29, "0")
    if isinstance(expected, float) and isinstance(found, float):
        if kind.startswith("FLOAT"):
            expected = struct.unpack("f", struct.pack("f", expected))[0]
        return math.isclose(expected, found, rel_tol=1e-14)
    return type(expected) is type(found) and bool(expected == found)


def bare(kind: str) -> str:
    """The type without what this product does not carry: NOT NULL, and the lengths of strings."""
    kind = re.sub(r"\bBINARY\(\d+\)", "BYTES", kind.replace(" NOT NULL", ""))
    return re.sub(r"\b(VAR)?CHAR\(\d+\)", "STRING", kind)
