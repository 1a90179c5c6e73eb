"""Writes homes by the code of today: `python -m tests.homes.write [NAME…]`; without names those that are not kept yet.

A home that is kept is rewritten only if it is named. See README.md.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from pyspark.sql import SparkSession

from airflow_nrt.basics.jars import fetched
from airflow_nrt.engine.java.finding import ensure_java
from airflow_nrt.engine.spark.session import start_session
from tests.homes.archives import names, pack
from tests.homes.scenes import SCENES, SERVERLESS


def write(spark: SparkSession, name: str) -> Path:
    """Keeps the home of a scene, with the rows that its uninterrupted stream publishes."""
    with tempfile.TemporaryDirectory(prefix=f"home-{name}-") as directory:
        whole = SCENES[name](spark, Path(directory) / "whole", False)
        whole.finish(polled=name not in SERVERLESS)
        kept = SCENES[name](spark, Path(directory) / "kept", True)
        (kept.place / "expected.json").write_text(json.dumps(whole.rows(), indent=1))
        return pack(kept.place, name)


def main(wanted: list[str]) -> None:
    ensure_java()
    jars = ",".join(str(file) for connector in ("kafka", "avro") for file in fetched(connector))
    spark = start_session("homes", "local[2]", {"spark.sql.shuffle.partitions": "2", "spark.jars": jars})
    for name in wanted or [name for name in SCENES if name not in names()]:
        file = write(spark, name)
        print(f"{file}: {file.stat().st_size:,} bytes", flush=True)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
