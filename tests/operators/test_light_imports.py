"""A DAG file parses in milliseconds: what operators and sensors load, and how long it takes, in a fresh interpreter."""

from __future__ import annotations

import json
import os
import subprocess
import sys

_PROBE = """
import json, sys, time
from airflow.sdk import DAG, BaseOperator, BaseSensorOperator, BaseHook, Connection, Context
from airflow.sdk.bases.decorator import DecoratedOperator
from airflow.triggers.base import BaseTrigger
before = set(sys.modules)
start = time.perf_counter()
import airflow_nrt.decorators.nrt_report
import airflow_nrt.operators.backfill, airflow_nrt.operators.stop, airflow_nrt.operators.stream
import airflow_nrt.operators.verify, airflow_nrt.sensors.window, airflow_nrt.assets.dispatcher
seconds = time.perf_counter() - start
print(json.dumps({"seconds": seconds, "modules": sorted(set(sys.modules) - before)}))
"""
HEAVY = (
    "pyspark",
    "py4j",
    "sqlglot",
    "airflow_nrt.engine",
    "airflow_nrt.home.home",
    "airflow_nrt.model.plan",
    "airflow_nrt.sql",
    "airflow.providers.apache.spark",
    "pandas",
)


def probe() -> dict:  # type: ignore[type-arg]
    told = subprocess.run([sys.executable, "-c", _PROBE], capture_output=True, text=True, check=True, env=os.environ)
    answer: dict = json.loads(told.stdout.splitlines()[-1])  # type: ignore[type-arg]
    return answer


def test_operators_load_neither_spark_nor_the_engine() -> None:
    heavy = [name for name in probe()["modules"] if name.startswith(HEAVY)]
    assert heavy == []


def test_operators_add_less_than_100_ms_to_airflow_s_own_import() -> None:
    seconds = min(probe()["seconds"] for _ in range(5))
    print(f"operators and sensor: {seconds * 1000:.0f} ms")
    assert seconds < 0.1
