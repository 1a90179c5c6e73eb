"""Every process of Airflow imports the plugin."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from airflow_nrt.plugins.nrt import NrtPlugin
from tests.operators.test_light_imports import HEAVY

_PROBE = """
import json, sys, time
import airflow.plugins_manager
from airflow.partition_mappers.base import PartitionMapper
before = set(sys.modules)
start = time.perf_counter()
import airflow_nrt.plugins.nrt
seconds = time.perf_counter() - start
print(json.dumps({"seconds": seconds, "modules": sorted(set(sys.modules) - before)}))
"""


def probe() -> dict:  # type: ignore[type-arg]
    told = subprocess.run([sys.executable, "-c", _PROBE], capture_output=True, text=True, check=True, env=os.environ)
    answer: dict = json.loads(told.stdout.splitlines()[-1])  # type: ignore[type-arg]
    return answer


def test_it_takes_less_than_50_ms_and_loads_nothing_heavy() -> None:
    told = [probe() for _ in range(3)]
    assert [name for name in told[0]["modules"] if name.startswith((*HEAVY, "fastapi"))] == []
    seconds = min(one["seconds"] for one in told)
    print(f"plugin: {seconds * 1000:.0f} ms")
    assert seconds < 0.05


def test_the_project_names_it_as_an_entry_point() -> None:
    point = f"{NrtPlugin.__module__}:{NrtPlugin.__qualname__}"
    project = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    assert f'[project.entry-points."airflow.plugins"]\nnrt = "{point}"\n' in project
