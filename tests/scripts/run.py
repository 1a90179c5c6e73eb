"""Scripts in the manner of public ones, whole as people bring them, over small tables in `data/`.

A script is `<group>/<name>.sql`, with `${DATA}` and `${OUT}` for directories. Its right rows are `<name>.jsonl`: those
of Flink 2.3 where Flink takes the script, else of DuckDB (README.md). `refused.json` has those that can't be planned
yet, each with words of the message.
"""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import cache
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
from pyarrow import orc
from pyspark.sql import SparkSession

from airflow_nrt.engine.functions.report_session import report_session
from airflow_nrt.engine.query import folded, run_bounded, stream_to_end, streamed_changes, streamed_lines
from airflow_nrt.engine.sources import arrived
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import load_report
from tests.engine.reports import Stream

PLACE = Path(__file__).parent
SALES = {
    "type": "record",
    "name": "sale",
    "fields": [
        *({"name": name, "type": "string"} for name in ("shop", "item")),
        {"name": "user_id", "type": "long"},
        {"name": "amount", "type": "int"},
        {"name": "ts", "type": {"type": "long", "logicalType": "timestamp-millis"}},
    ],
}
REFUSED: dict[str, str] = json.loads((PLACE / "refused.json").read_text(encoding="utf-8"))
_DIGITS = 12
"""Doubles agree in so many digits."""


@dataclass(frozen=True)
class Script:
    """`name` is `<group>/<name>`."""

    file: Path

    @property
    def name(self) -> str:
        return f"{self.file.parent.name}/{self.file.stem}"

    def plan(self, out: Path) -> Plan:
        return load_report(self.file, {"DATA": str(data()), "OUT": str(out)})

    @property
    def right(self) -> Counter[str]:
        rows = map(json.loads, self.file.with_suffix(".jsonl").read_text(encoding="utf-8").splitlines())
        return _counted({name: value for name, value in row.items() if name != "table"} for row in rows)


@cache
def data() -> Path:
    """The tables, and `sales` also in formats that are no texts."""
    place = Path(tempfile.mkdtemp(prefix="scripts-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    shutil.copytree(PLACE / "data", place, dirs_exist_ok=True)
    rows = [json.loads(line) for line in (place / "sales.json").read_text(encoding="utf-8").splitlines()]
    timed = [{**row, "ts": datetime.fromisoformat(row["ts"])} for row in rows]
    orc.write_table(pa.Table.from_pylist(timed), place / "sales.orc")
    with (place / "sales.avro").open("wb") as file:
        fastavro.writer(file, SALES, [{**row, "ts": row["ts"].replace(tzinfo=timezone.utc)} for row in timed])
    return place


def scripts() -> list[Script]:
    return [Script(file) for file in sorted(PLACE.glob("*/*.sql"))]


def rows_of(spark: SparkSession, script: Script, mode: str) -> Counter[str]:
    """What a script writes into its table. A stream is verified, too."""
    with tempfile.TemporaryDirectory() as directory:
        plan = script.plan(Path(directory))
        if mode == "batch":
            return _counted(map(json.loads, run_bounded(spark, plan, mode)))
        session = report_session(spark, plan)
        streamed, home = stream_to_end(session, plan, Path(directory))
        if plan.inserts[0].changes:
            lines = folded(streamed_changes(session, plan, Path(directory)))
            streamed, home = _into_its_table(spark, plan, Path(directory))
        else:
            lines = streamed_lines(session, plan, Path(directory))
        rows = _counted(map(json.loads, lines))
        assert verify(spark, streamed, home).is_proven
        return rows


def _into_its_table(spark: SparkSession, plan: Plan, place: Path) -> tuple[Plan, Home]:
    """The same stream into the table of the script, which takes changes."""
    stream = Stream(spark, plan, place / "home of its table")
    for source in plan.sources:
        stream.driver.absorb(source.name, arrived(spark, source.table), ends=True)
    stream.end()
    return plan, stream.home


def _counted(rows: Iterable[dict[str, Any]]) -> Counter[str]:
    return Counter(json.dumps({name: _shown(value) for name, value in row.items()}, sort_keys=True) for row in rows)


def _shown(value: Any) -> Any:
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value
