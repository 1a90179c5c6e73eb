"""Writing the late ledger and the reject list of a batch (`report/ledger.py` reads them)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.engine.windows.partials import LATE
from airflow_nrt.report.home import Home
from airflow_nrt.report.ledger import LATE_PREFIX, REJECTED, records


def write_late(spark: SparkSession, home: Home, ledger: str, operator: str, partials: Path) -> None:
    """The late rows among just written partials."""
    late = spark.read.parquet(str(partials)).where(f"{LATE} IS NOT NULL").selectExpr(f"{LATE} AS value")
    late.write.text(str(home.path / ledger / f"{LATE_PREFIX}{operator}"))


def write_rejected(home: Home, ledger: str, rows: DataFrame) -> dict[str, int]:
    """Rejected rows; gives how many there were for each reason."""
    path = home.path / ledger / REJECTED
    rows.selectExpr("to_json(struct(*)) AS value").write.text(str(path))
    return dict(Counter(record["reason"] for record in records(path)))
