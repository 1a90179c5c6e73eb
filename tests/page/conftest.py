"""Homes of several DAGs and teams, made once, and the app over them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import tests.airflow_home  # noqa: F401
from tests.page.made_homes import Made, make_home, plan_of_homes


@pytest.fixture(scope="package")
def homes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Made]:
    """`curve` of a DAG that everybody sees, `theirs` of a team's, `gone` of one that is no more, `bare` of none."""
    root = tmp_path_factory.mktemp("homes")
    plan = plan_of_homes(root)
    made = {"curve": make_home(root, plan, "curve", windows=160, dag_id="orders")}
    for name, dag_id in (("theirs", "their_dag"), ("gone", "gone_dag"), ("bare", None)):
        made[name] = make_home(root, plan, name, windows=3, dag_id=dag_id)
    return made


@pytest.fixture(scope="package")
def lab(airflow: None, homes: dict[str, Made]) -> Iterator[object]:
    from tests.page.lab import Lab, know_dags

    lab = Lab.over(homes["curve"].home.path.parent)
    know_dags("orders", "orders_nightly")
    know_dags("their_dag", team="theirs")
    yield lab


@pytest.fixture
def fresh(homes: dict[str, Made], tmp_path: Path) -> Made:
    """A home of its own, for a test that changes it."""
    return make_home(tmp_path / "homes", plan_of_homes(tmp_path), "fresh", windows=3, dag_id="orders")
