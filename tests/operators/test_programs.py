"""Programs in operators: their plan is known, nothing of them is imported."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.operators.stream import NrtStreamOperator
from airflow_nrt.usecases.requests.facts import PlannedReport

pytestmark = pytest.mark.process

PROGRAM = """
def build(t_env):
    t_env.execute_sql('''
        CREATE TABLE orders (shop STRING) WITH ('connector' = 'filesystem', 'path' = '${DATA}', 'format' = 'json');
        CREATE TABLE shops (shop STRING) WITH ('connector' = 'filesystem', 'path' = 'out', 'format' = 'json');
    ''')
    t_env.from_path("orders").execute_insert("shops")
"""


def test_a_task_plans_a_program_without_importing_it(tmp_path: Path) -> None:
    (tmp_path / "told_apart.py").write_text(PROGRAM)
    for report in (f"{tmp_path}/told_apart.py", f"{tmp_path}/told_apart:build"):
        operator = NrtStreamOperator(task_id="stream", report=report, settings={"DATA": "orders"})
        assert operator.planned() == PlannedReport("told_apart", True, str(tmp_path), None)
    assert "told_apart" not in sys.modules


def test_what_is_wrong_is_told(tmp_path: Path) -> None:
    (tmp_path / "told_apart.py").write_text(PROGRAM)
    with pytest.raises(InputError, match=r"the placeholder \$\{DATA\} has no value"):
        NrtStreamOperator(task_id="stream", report=f"{tmp_path}/told_apart.py").planned()
    with pytest.raises(InputError, match="there is no Python module 'nowhere'"):
        NrtStreamOperator(task_id="stream", report=f"{tmp_path}/nowhere.py").planned()
