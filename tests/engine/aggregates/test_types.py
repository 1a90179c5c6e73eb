"""Every aggregate of a value of every type: refused with its place, or of the type in Spark that was told."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.errors import SqlError, SqlErrors
from airflow_nrt.sql.planner import plan_query
from tests.engine.reports import insert_result, source_file

TYPES = {
    "i": "INT", "t": "TINYINT", "l": "BIGINT", "m": "DECIMAL(10, 2)", "w": "DECIMAL(38, 18)", "f": "FLOAT",
    "d": "DOUBLE", "s": "STRING", "b": "BOOLEAN", "y": "BYTES", "e": "DATE", "z": "TIMESTAMP(3)", "a": "ARRAY<INT>",
    "r": "ROW<a INT, b STRING>", "p": "MAP<STRING, INT>",
}  # fmt: skip
CALLS = (
    "COUNT({0})", "COUNT(DISTINCT {0})", "COUNT(DISTINCT {0}, s)", "SUM({0})", "SUM(DISTINCT {0})", "AVG({0})",
    "AVG(DISTINCT {0})", "MIN({0})", "MAX({0})", "FIRST_VALUE({0})", "LAST_VALUE(DISTINCT {0})", "SINGLE_VALUE({0})",
    "SINGLE_VALUE(DISTINCT {0})", "STDDEV_SAMP({0})", "VAR_POP(DISTINCT {0})", "LISTAGG({0})", "LISTAGG(DISTINCT {0})",
    "ARRAY_AGG({0})", "ARRAY_AGG(DISTINCT {0} RESPECT NULLS)", "COLLECT({0})", "COLLECT(DISTINCT {0})",
    "PERCENTILE({0}, 0.5)", "PERCENTILE(DISTINCT {0}, ARRAY[0, 0.5])", "PERCENTILE(d, 0.5, {0})", "JSON_ARRAYAGG({0})",
    "JSON_OBJECTAGG(KEY s VALUE {0})", "JSON_OBJECTAGG({0}: d ABSENT ON NULL)",
)  # fmt: skip
TAKEN = {
    "i": 24, "t": 24, "l": 24, "m": 23, "w": 23, "f": 23, "d": 23, "s": 18, "b": 15, "y": 15, "e": 13, "z": 15, "a": 9,
    "r": 9, "p": 3,
}  # fmt: skip
"""How many of the calls take each type."""


def planned(place: Path, *calls: str) -> Plan:
    columns = ", ".join(f"{name} {kind}" for name, kind in TYPES.items())
    ddl = f"""CREATE TABLE rs ({columns}, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
        WITH ('connector' = 'filesystem', 'path' = '{place}/rs.json', 'format' = 'json');"""
    items = ", ".join(f"{call} AS c{n}" for n, call in enumerate(calls))
    windows = "HOP(TABLE rs, DESCRIPTOR(ts), INTERVAL '1' HOUR, INTERVAL '2' HOUR)"
    return plan_query(ddl, f"SELECT {items} FROM {windows} GROUP BY window_start, window_end", place)


def is_taken(place: Path, call: str) -> bool:
    try:
        planned(place, call)
    except (SqlError, SqlErrors):
        return False
    return True


@pytest.mark.parametrize("name", TYPES)
def test_values_of_a_type(spark, tmp_path: Path, name: str) -> None:
    (tmp_path / "rs.json").touch()
    calls = [call for call in (call.format(name) for call in CALLS) if is_taken(tmp_path, call)]
    assert len(calls) == TAKEN[name], calls
    plan = planned(tmp_path, *calls)
    result = insert_result(spark, plan, plan.inserts[0], {"rs": [source_file(tmp_path / "rs.json")]})
    types = [field.dataType.simpleString().upper() for field in result.drop("_nrt_end").schema.fields]
    assert types == [field.type.spark.upper().replace("`", "") for field in plan.inserts[0].query.fields]
