"""The late ledger and the reject list: one directory a commit, JSON lines that a person can read with `cat`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.engine.windows.partials import LATE
from airflow_nrt.report.home import Home

LATE_PREFIX, REJECTED = "late-", "rejected"


def write_late(spark: SparkSession, home: Home, ledger: str, operator: str, partials: Path) -> None:
    """The late rows among just written partials, as `late-<operator>/`."""
    late = spark.read.parquet(str(partials)).where(f"{LATE} IS NOT NULL").selectExpr(f"{LATE} AS value")
    late.write.text(str(home.path / ledger / f"{LATE_PREFIX}{operator}"))


def write_rejected(home: Home, ledger: str, rows: DataFrame) -> dict[str, int]:
    """Rejected rows as `rejected/`; gives how many there were for each reason."""
    path = home.path / ledger / REJECTED
    rows.selectExpr("to_json(struct(*)) AS value").write.text(str(path))
    return dict(Counter(record["reason"] for record in records(path)))


def records(path: Path) -> Iterator[dict[str, Any]]:
    """The records below a directory of the ledger."""
    for file in sorted(path.glob("part-*.txt")):
        with open(file, encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)
