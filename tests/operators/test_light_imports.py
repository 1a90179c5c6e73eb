"""A DAG file parses in milliseconds: what operators and sensors load, and what it takes, in a fresh interpreter."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.process

_PROBE = """
import json, sys, time
start = time.process_time()
from airflow.sdk import DAG, BaseOperator, BaseSensorOperator, BaseHook, Connection, Context
from airflow.sdk.bases.decorator import DecoratedOperator
from airflow.triggers.base import BaseTrigger
before = set(sys.modules)
of_airflow = time.process_time() - start
start = time.process_time()
import airflow_nrt.decorators.nrt_report
import airflow_nrt.operators.backfill, airflow_nrt.operators.stop, airflow_nrt.operators.stream
import airflow_nrt.operators.verify, airflow_nrt.sensors.window, airflow_nrt.assets.dispatcher
seconds = time.process_time() - start
print(json.dumps({"seconds": seconds, "of_airflow": of_airflow, "modules": sorted(set(sys.modules) - before)}))
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


def test_operators_add_less_than_a_tenth_to_airflow_s_own_import() -> None:
    # Processor time of one process: a machine that is slow, or busy, is so for both.
    least = min((probe() for _ in range(3)), key=lambda told: told["seconds"] / told["of_airflow"])
    print(f"operators and sensor: {least['seconds'] * 1000:.0f} ms, Airflow {least['of_airflow'] * 1000:.0f} ms")
    assert least["seconds"] < least["of_airflow"] / 10
