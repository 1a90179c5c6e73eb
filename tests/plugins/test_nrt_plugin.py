"""Every process of Airflow imports the plugin."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from airflow_nrt.plugins.nrt import NrtPlugin
from tests.operators.test_light_imports import HEAVY

_PROBE = """
import json, sys, time
start = time.process_time()
import airflow.plugins_manager
from airflow.partition_mappers.base import PartitionMapper
before = set(sys.modules)
of_airflow = time.process_time() - start
start = time.process_time()
import airflow_nrt.plugins.nrt
seconds = time.process_time() - start
print(json.dumps({"seconds": seconds, "of_airflow": of_airflow, "modules": sorted(set(sys.modules) - before)}))
"""


def probe() -> dict:  # type: ignore[type-arg]
    told = subprocess.run([sys.executable, "-c", _PROBE], capture_output=True, text=True, check=True, env=os.environ)
    answer: dict = json.loads(told.stdout.splitlines()[-1])  # type: ignore[type-arg]
    return answer


@pytest.mark.process
def test_it_takes_a_fraction_of_airflow_s_own_import_and_loads_nothing_heavy() -> None:
    told = [probe() for _ in range(2)]
    assert [name for name in told[0]["modules"] if name.startswith((*HEAVY, "fastapi"))] == []
    least = min(told, key=lambda one: one["seconds"] / one["of_airflow"])
    print(f"plugin: {least['seconds'] * 1000:.0f} ms, Airflow {least['of_airflow'] * 1000:.0f} ms")
    assert least["seconds"] < least["of_airflow"] / 10


def test_the_project_names_it_as_an_entry_point() -> None:
    point = f"{NrtPlugin.__module__}:{NrtPlugin.__qualname__}"
    project = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    assert f'[project.entry-points."airflow.plugins"]\nnrt = "{point}"\n' in project
