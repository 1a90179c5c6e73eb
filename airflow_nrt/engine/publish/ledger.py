"""Writing the late ledger and the reject list of a batch (`home/ledger.py` reads them)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Sequence

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.spelling import bigint
from airflow_nrt.engine.spark.paths import GLOB
from airflow_nrt.engine.state.state_columns import LATE
from airflow_nrt.home.home import Home
from airflow_nrt.home.ledger import LATE_PREFIX, REJECTED, records
from airflow_nrt.home.log.splits import SourceFile, SourceRange, Split
from airflow_nrt.home.store.store_path import StorePath
from airflow_nrt.model.input.rejected_rows import REJECTED_AT

UNREADABLE, LOST = "unreadable file", "lost before it was read"


def write_late(spark: SparkSession, home: Home, ledger: str, operator: str, partials: StorePath) -> None:
    """Writes the late rows among these new partials."""
    late = spark.read.parquet(str(partials).translate(GLOB)).where(f"{LATE} IS NOT NULL").selectExpr(f"{LATE} AS value")
    late.write.text(str(home.root / ledger / f"{LATE_PREFIX}{operator}"))


def write_rejected(home: Home, ledger: str, rows: DataFrame) -> None:
    """Writes rejected rows, in addition to the batch's unreadable files."""
    rows.selectExpr("to_json(struct(*)) AS value").write.mode("append").text(str(home.root / ledger / REJECTED))


def write_unreadable(home: Home, ledger: str, source: str, splits: Sequence[Split]) -> None:
    """Writes a rejection for each unreadable file, and for each lost range."""
    path = home.root / ledger / REJECTED
    path.make()
    reasons = {SourceRange: LOST, SourceFile: UNREADABLE}
    rejections = [{"source": source, "reason": reasons[type(one)], "file": one.name} for one in splits]
    lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in rejections)
    (path / "part-files.txt").replace(lines.encode())


def rejected_rows(spark: SparkSession, home: Home, ledger: str, clock: int) -> DataFrame:
    """What a ledger lists, for a table of rejected rows, at this processing time (ms)."""
    schema = "source STRING, reason STRING, `column` STRING, why STRING, file STRING, line STRING"
    listed = spark.read.schema(schema).json(str(home.root / ledger / REJECTED).translate(GLOB))
    return listed.selectExpr("*", f"timestamp_millis({bigint(clock)}) AS {REJECTED_AT}")


def rejections(home: Home, ledger: str) -> dict[str, int]:
    """How many rejections a ledger lists, by reason."""
    return dict(Counter(record["reason"] for record in records(home.root / ledger / REJECTED)))


def example(home: Home, ledger: str, reasons: Collection[str]) -> str:
    """One of the rejections of these reasons that a ledger lists, for people; empty if there is none.

    orders-0@800: it is no JSON object: {"shop":
    """
    for record in records(home.root / ledger / REJECTED):
        if record["reason"] in reasons:
            parts = (record["file"], record.get("why") or record["reason"], record.get("line"))
            return ": ".join(str(part) for part in parts if part)
    return ""
