"""Functions in a process that has none of the modules beside the report."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark import cloudpickle

from airflow_nrt.engine.functions.scalar import guarded
from airflow_nrt.engine.functions.shipped_modules import travelling
from airflow_nrt.table.reports.load import load_report
from tests.program.test_modules import written

pytestmark = pytest.mark.process

REPORT = """
from airflow_nrt.table import col, udf
{0}
def three(v):
    {1}
    return three_times(v)

def build(t_env):
    t_env.execute_sql('''
        CREATE TABLE t (ts TIMESTAMP(3), v INT, WATERMARK FOR ts AS ts)
        WITH ('connector' = 'filesystem', 'path' = 't', 'format' = 'json');
        CREATE TABLE s (v BIGINT) WITH ('connector' = 'filesystem', 'path' = 's', 'format' = 'json');
    ''')
    t_env.from_path("t").select(udf(three, result_type="BIGINT")(col("v"))).execute_insert("s")
"""
INTERACTIVE = """
import pickle, sys
from airflow_nrt.table import TableEnvironment, col, udf
from pyspark import cloudpickle
from airflow_nrt.engine.functions.scalar import guarded
from airflow_nrt.engine.functions.shipped_modules import travelling
import helper_of_main

t_env = TableEnvironment.create()
t_env.execute_sql("CREATE TABLE t (v INT) WITH ('connector' = 'filesystem', 'path' = 't', 'format' = 'json')")
table = t_env.from_path("t").select(udf(helper_of_main.three_times, result_type="BIGINT")(col("v")))
sys.stdout.buffer.write(cloudpickle.dumps(guarded(*travelling(t_env.plan_of(table)))))
"""
THREE = "from airflow_nrt.table import udf\nfrom {0} import factor\ndef three_times(v): return v * factor()"


def ran(pickled: bytes, elsewhere: Path) -> str:
    """What the function gives of 5, with this product and nothing else to import."""
    child = subprocess.run(
        [sys.executable, "-c", "import pickle, sys; print(pickle.load(sys.stdin.buffer)(5))"],
        input=pickled, capture_output=True, cwd=elsewhere, check=False, env={**os.environ, "PYTHONPATH": os.getcwd()},
    )  # fmt: skip
    return child.stdout.decode().strip() or child.stderr.decode()


@pytest.mark.parametrize(
    ("name", "above", "inside"),
    [
        ("trave_above", "from {0}.helpers import three_times", "pass"),
        ("trave_inside", "", "from {0}.helpers import three_times"),
        ("trave_relative", "", "from .helpers import three_times"),
    ],
)
@pytest.mark.parametrize("is_package", [True, False])
def test_what_a_function_imports_travels(tmp_path: Path, name: str, above: str, inside: str, is_package: bool) -> None:
    """Whether its module stands in a package or in a folder, and wherever it imports."""
    name += f"_{is_package}"
    text = REPORT.format(above.format(name), inside.format(name))
    files = {"rep.py": text, "helpers.py": THREE.format(f"{name}.more"), "more.py": "def factor(): return 3"}
    files |= {"__init__.py": ""} if is_package else {}
    written(tmp_path / "report", {f"{name}/{file}": content for file, content in files.items()})
    plan = load_report(f"{tmp_path}/report/{name}.rep:build")
    assert ran(cloudpickle.dumps(guarded(*travelling(plan))), tmp_path) == "15"


def test_modules_beside_an_interactive_program_travel(tmp_path: Path) -> None:
    """Wherever it was started."""
    files = {"main.py": INTERACTIVE, "helper_of_main.py": THREE.format("more_of_main")}
    written(tmp_path / "program", {**files, "more_of_main.py": "def factor(): return 3"})
    started = subprocess.run(
        [sys.executable, tmp_path / "program" / "main.py"],
        capture_output=True, cwd=tmp_path, check=True, env={**os.environ, "PYTHONPATH": os.getcwd()},
    )  # fmt: skip
    assert ran(started.stdout, tmp_path) == "15"
