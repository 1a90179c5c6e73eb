"""The task that maintains tables of a lakehouse."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.operators.maintain import NrtMaintainOperator
from tests.engine.reports import Stream
from tests.engine.sinks.jdbc.reports import COUNTS, CURVE, ORDERS, arrive
from tests.engine.sinks.lakehouse.conftest import iceberg  # noqa: F401
from tests.engine.sinks.lakehouse.reports import Format, curve


def test_it_compacts_the_table_of_a_report(spark, iceberg: Format, tmp_path: Path) -> None:  # noqa: F811
    plan = iceberg.plan(tmp_path, "curve")
    stream = Stream(spark, plan, tmp_path / "home")
    for n in range(6):
        stream.absorb(arrive(tmp_path, str(n), (1, 5, f"10:{10 * n + 1:02}:00")), source="orders")
    report = tmp_path / "orders_curve.sql"
    report.write_text(f"""{ORDERS}
        CREATE TABLE curve ({CURVE}) WITH ('connector' = 'iceberg', {iceberg.options.format(table="curve")},
          'sink.create-table' = 'true');
        INSERT INTO curve {COUNTS};
    """)
    before = curve(spark, plan)
    task = NrtMaintainOperator(task_id="maintain", report=str(report), home=str(tmp_path / "home"), keep="1 h")
    about: Any = {"ti": SimpleNamespace(xcom_push={}.__setitem__)}
    done = task.execute(about)["curve"]
    assert done["files_before"] >= 5 and done["files_after"] == 1
    assert curve(spark, plan) == before


def test_a_duration_that_is_none() -> None:
    with pytest.raises(InputError, match="keep: 'a week' is not a duration"):
        NrtMaintainOperator(task_id="maintain", report="report.sql", home="home", keep="a week")
