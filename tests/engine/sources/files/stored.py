"""Files of one column, written by Arrow, and what a report reads of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import orc

from airflow_nrt.engine.query import run_bounded
from airflow_nrt.sql.planner import plan_query


def write(form: str, place: Path, values: Sequence[Any], kind: pa.DataType, name: str = "v", **more: Any) -> None:
    table = pa.table({name: pa.array(values, kind)})
    place.mkdir(exist_ok=True)
    file = place / f"{len(list(place.iterdir()))}.{form}"
    if form == "parquet":
        pq.write_table(table, file, **more)
    else:
        orc.write_table(table, file)


def read(spark, form: str, place: Path, columns: str, *options: str, query: str = "SELECT * FROM t") -> list[Any]:
    given = ", ".join(("'connector' = 'filesystem'", f"'path' = '{place}'", f"'format' = '{form}'", *options))
    plan = plan_query(f"CREATE TABLE t ({columns}) WITH ({given});", query, place)
    rows = [tuple(json.loads(line).values()) for line in run_bounded(spark, plan, "batch")]
    return [row[0] if len(row) == 1 else row for row in rows]
