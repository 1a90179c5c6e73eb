"""`@task.nrt_report` in a DAG file: parsed, run up to a driver's start, and run again."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.sdk.exceptions import AirflowFailException, TaskDeferred

from airflow_nrt.basics.errors import InputError
from airflow_nrt.home.heartbeat import STOPPED
from airflow_nrt.home.home import Home
from airflow_nrt.home.identity.fingerprint import fingerprint
from airflow_nrt.operators.stream import NrtStreamOperator
from airflow_nrt.operators.verify import NrtVerifyOperator
from airflow_nrt.table.reports.load import load_report, plan_of_home
from airflow_nrt.triggers.driver_health import ENDED, Judgement
from tests.launch.homes import beat, lease
from tests.python_modules import write_module

TI = SimpleNamespace(dag_id="dag", task_id="loud", run_id="run", map_index=-1, try_number=1, xcom_push={}.__setitem__)
CONTEXT: Any = {"ti": TI}

DAG_FILE = """
from __future__ import annotations

from typing import TYPE_CHECKING

from airflow.sdk import DAG, task

from airflow_nrt.operators.verify import NrtVerifyOperator

if TYPE_CHECKING:
    from airflow_nrt.table import TableEnvironment

with DAG("shops", schedule=None) as dag:

    @task.nrt_report(home="HOME", nrt_conn_id="nowhere", settings={"DATA": "orders"})
    def REPORT(t_env: TableEnvironment) -> None:
        '''Shops, aloud.'''
        from HELPER import suffix

        from airflow_nrt.table import col, udf

        @udf
        def loud(shop: str) -> str:
            return shop.upper() + suffix

        t_env.execute_sql('''
CREATE TABLE orders (shop STRING) WITH ('connector' = 'filesystem', 'path' = '${DATA}', 'format' = 'json');
CREATE TABLE shops (shop STRING) WITH ('connector' = 'filesystem', 'path' = 'out', 'format' = 'json');
        ''')
        t_env.from_path("orders").select(loud(col("shop"))).execute_insert("shops")

    REPORT()

with DAG("nightly", schedule="@daily") as nightly:
    NrtVerifyOperator(task_id="verify", report=REPORT, home="HOME", settings={"DATA": "orders"})
"""


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., NrtStreamOperator]:
    """Writes the DAG file, with texts replaced, and gives a task of it, which launches by a spark-submit that fails."""
    submit = tmp_path / "bin" / "spark3-submit"
    submit.parent.mkdir()
    submit.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/submitted\nexit 1\n')
    submit.chmod(0o755)
    monkeypatch.setenv("PATH", str(submit.parent), prepend=":")
    extra = {"spark_conn_id": "no_spark", "master": "local[1]"}
    monkeypatch.setenv("AIRFLOW_CONN_NOWHERE", json.dumps({"conn_type": "nrt", "extra": extra}))
    spark = {"conn_type": "spark", "extra": {"spark-binary": "spark3-submit"}}
    monkeypatch.setenv("AIRFLOW_CONN_NO_SPARK", json.dumps(spark))
    dags = tmp_path / "dags"
    helper = write_module(dags, "suffix = '!'")

    def write(of: str = "dag", **texts: str) -> Any:
        text = DAG_FILE
        for old, new in {"HOME": f"{tmp_path}/home", "HELPER": helper, "REPORT": "loud_shops", **texts}.items():
            text = text.replace(old, new)
        (dags / "shops_dag.py").write_text(text)
        spec = importlib.util.spec_from_file_location("unusual_prefix_shops_dag", dags / "shops_dag.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        (operator,) = getattr(module, of).tasks
        return operator

    return write


def test_a_dag_file_is_parsed_and_nothing_of_the_report_is_run(write: Callable[..., NrtStreamOperator]) -> None:
    task = write()
    assert (task.task_id, task.report, task.doc_md) == ("loud_shops", "loud_shops", "Shops, aloud.")
    assert not any(name.startswith("nrt_tests_module") and name in str(task._inline) for name in sys.modules)


@pytest.mark.process
def test_a_report_keeps_its_home_over_tries_and_edits(write: Callable[..., NrtStreamOperator], tmp_path: Path) -> None:
    with pytest.raises(TaskDeferred) as deferred:
        write().execute(CONTEXT)
    trigger: Any = deferred.value.trigger
    assert trigger.lost.startswith("the driver ended before its first heartbeat: Cannot execute: spark3-submit")
    home = Home.open(tmp_path / "home")
    plan = plan_of_home(home)
    assert (plan.name, plan.source("orders").table.path) == ("loud_shops", f"{tmp_path}/dags/orders")
    submitted = dict(zip((words := (tmp_path / "submitted").read_text().splitlines()), words[1:]))
    assert (submitted["--report"], submitted["--name"]) == (home.identity().program, "loud_shops")
    driven = load_report(submitted["--report"], {"DATA": "orders"}, submitted["--name"], Path(submitted["--base"]))
    assert fingerprint(driven) == fingerprint(plan) == home.identity().fingerprint

    beat(home, lease(home).epoch)
    with pytest.raises(TaskDeferred):
        write(**{"import DAG, task": "import DAG, task\n\n# Another line."}).execute(CONTEXT)
    with pytest.raises(
        AirflowFailException, match=r"(?s)computes something else .*function LOUD: its code -> other code"
    ):
        write(upper="lower").execute(CONTEXT)

    beat(home, 1, STOPPED)
    told = write(HELPER="nowhere").resume(
        CONTEXT, Judgement(ENDED, 1, "was asked to", False).to_json(), restarts=[], home=str(home.path), endless=True
    )
    assert told["report"] == "loud_shops"


@pytest.mark.process
def test_other_tasks_take_the_function(write: Callable[..., NrtStreamOperator], tmp_path: Path) -> None:
    verify = write(of="nightly")
    assert isinstance(verify, NrtVerifyOperator) and verify.report == "loud_shops"
    with pytest.raises(AirflowFailException, match=r"home is no home of a report: it has no report\.json"):
        verify.execute(CONTEXT)


@pytest.mark.process
def test_a_wrong_report_is_told_by_the_lines_of_the_dag_file(
    write: Callable[..., NrtStreamOperator], tmp_path: Path
) -> None:
    line = DAG_FILE[: DAG_FILE.index("execute_insert")].count("\n") + 1
    with pytest.raises(AirflowFailException, match=rf"nrt_report_loud_shops.py, line {line}: .*nowhere"):
        write(**{'"shops")': '"nowhere")'}).execute(CONTEXT)
    assert not (tmp_path / "home").exists()


def test_what_can_t_be_a_report_is_told_when_the_dag_file_is_parsed(write: Callable[..., NrtStreamOperator]) -> None:
    with pytest.raises(InputError, match="uses what stands outside of it: dag; import or define it inside"):
        write(**{"return shop": "return dag.dag_id + shop"})
    with pytest.raises(InputError, match="'loud_shops' is called without arguments: give values as settings"):
        write(**{"    loud_shops()": "    loud_shops(3)"})
