"""What `new` writes runs: the report, its sample data, its test, and its DAGs.

Covers airflow_nrt/cli/scaffold.
"""

from __future__ import annotations

import importlib.util
from datetime import datetime
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from jinja2 import Environment, StrictUndefined

from tests.cli.conftest import Command


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from airflow_nrt.cli.main import main

    place = tmp_path_factory.mktemp("new") / "sales"
    assert main(["new", str(place)]) == 0
    return place


def loaded(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_it_says(command: Command, tmp_path: Path) -> None:
    answer = command("new", tmp_path / "sales")
    assert answer.status == 0
    for file in (tmp_path / "sales").rglob("*"):
        assert file.is_dir() or str(file.relative_to(tmp_path / "sales")) in answer.out
    assert f"  airflow-nrt run {tmp_path}/sales/sales.sql --available-now\n" in answer.out


@pytest.mark.parametrize("name", ["2026", "a-b", "class", "a b", "x" * 101])
def test_what_is_no_name(command: Command, tmp_path: Path, name: str) -> None:
    answer = command("new", tmp_path / name)
    assert (answer.status, answer.out, list(tmp_path.iterdir())) == (2, "", [])
    assert f"{name!r} can't be the name of a report" in answer.err


def test_nothing_is_overwritten(command: Command, tmp_path: Path) -> None:
    (tmp_path / "sales").mkdir()
    (tmp_path / "sales" / "sales.sql").write_text("mine")
    answer = command("new", tmp_path / "sales")
    assert answer.status == 2 and "is there already and not empty: choose another name" in answer.err
    assert [file.read_text() for file in (tmp_path / "sales").iterdir()] == ["mine"]


def test_its_report_is_right(command: Command, place: Path) -> None:
    answer = command("check", place / "sales.sql", "--home", place / "home")
    assert (answer.status, answer.err) == (0, "")


def test_its_test_passes(spark, place: Path) -> None:
    module = loaded(place / "test_sales.py")
    tests = [test for name, test in vars(module).items() if name.startswith("test_")]
    assert len(tests) == 2
    for test in tests:
        test()


def test_its_dags(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SALES_HOME", "/homes/sales")
    import tests.airflow_home  # noqa: F401

    dags = loaded(place / "sales_dag.py")
    from airflow.sdk import DAG

    made = {one.dag_id: one for one in vars(dags).values() if isinstance(one, DAG)}
    assert {*made} <= {"sales", "sales_nightly"}
    assert dags.HOME == "/homes/sales"


@pytest.mark.parametrize(
    ("run", "end"),
    [
        ({"data_interval_end": datetime(2026, 3, 3)}, "2026-03-03"),
        ({}, "2026-03-04"),
        ({"conf": {"nrt": {"start": "2026-03-02 09:00:00", "end": "2026-03-02 10:00:00"}}}, "2026-03-02 10:00:00"),
    ],
    ids=["of its interval", "by hand", "of the page"],
)
def test_its_nightly_run_waits_for_the_windows_that_it_means(place: Path, run: dict[str, Any], end: str) -> None:
    import tests.airflow_home  # noqa: F401

    template = Environment(undefined=StrictUndefined).from_string(loaded(place / "sales_dag.py").END)
    dag_run = SimpleNamespace(conf=run.pop("conf", None), run_after=datetime(2026, 3, 4, 9))
    assert template.render(dag_run=dag_run, **run) == end


@pytest.mark.slow
def test_its_stream_and_its_proof(spark_command: Command, place: Path) -> None:
    report = place / "sales.sql"
    first = spark_command("run", report, "--available-now", "--master", "local[2]")
    assert (first.status, first.out) == (0, "sales: finished\n"), first.err
    assert "12 rows from 1 split in 1 batch, 0 late" in first.err
    (place / "orders" / "2.csv").write_bytes((place / "later" / "2.csv").read_bytes())
    second = spark_command("run", report, "--available-now", "--master", "local[2]")
    assert "3 rows from 1 split in 1 batch, 1 late" in second.err
    proof = spark_command("verify", report, "--master", "local[2]")
    assert proof.status == 0 and "explained" in proof.out, proof.out + proof.err
