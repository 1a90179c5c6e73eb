"""Wrong parameters: a literal is refused where the DAG is parsed, a template's value before Spark starts."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pendulum
import pytest
from airflow.sdk import DAG, CronDataIntervalTimetable
from airflow.sdk.exceptions import AirflowFailException

from airflow_nrt.basics.errors import InputError
from airflow_nrt.launch.driver_environment import needed_environment
from airflow_nrt.operators.backfill import NrtBackfillOperator
from airflow_nrt.operators.command import Command
from airflow_nrt.operators.interval import zone_of_clock
from airflow_nrt.operators.planning import Planner
from airflow_nrt.operators.stream import NrtStreamOperator
from airflow_nrt.operators.verify import NrtVerifyOperator
from airflow_nrt.usecases.requests.backfill import BackfillRequest, BackfillSummary
from airflow_nrt.usecases.requests.facts import FactsRequest
from airflow_nrt.usecases.requests.report import ReportRequest
from tests.cli.place import REPORT, furnish

WRONG = {
    "timezone": ("Asia/Shangai", "timezone: there is no time zone 'Asia/Shangai'"),
    "on_mismatch": ("repare", "on_mismatch: 'repare' is none of fail, repair, report"),
    "master": ("locale[*]", "there is no Spark master 'locale[*]'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_literal_is_refused_where_the_dag_is_parsed(name: str) -> None:
    value, message = WRONG[name]
    with pytest.raises(InputError) as wrong:
        NrtBackfillOperator(task_id="backfill", report="r.sql", **{name: value})  # type: ignore[arg-type]
    assert message in str(wrong.value)


@pytest.mark.parametrize("operator", [NrtStreamOperator, NrtVerifyOperator])
def test_a_master_is_checked_by_every_operator(operator: Any) -> None:
    with pytest.raises(InputError, match="there is no Spark master"):
        operator(task_id="task", report="r.sql", master="local[0]")


@pytest.mark.process
@pytest.mark.parametrize("name", WRONG)
def test_a_template_s_wrong_value_fails_for_good_before_spark_starts(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def started(*_: object) -> None:
        raise AssertionError("a command was started")

    monkeypatch.setattr(Command, "run", started)
    value, message = WRONG[name]
    task = NrtBackfillOperator(
        task_id="backfill", report=str(furnish(tmp_path)), home=str(tmp_path / "home"),
        start="2024-06-18 10:00", end="2024-06-18 10:20", **{name: f"{{{{ params.{name} }}}}"},
    )  # fmt: skip
    task.render_template_fields({"params": {name: value}})  # type: ignore[typeddict-item]
    with pytest.raises(AirflowFailException) as failed:
        task.execute({})  # type: ignore[typeddict-item]
    assert message in str(failed.value)


SHANGHAI = CronDataIntervalTimetable("0 0 * * *", timezone="Asia/Shanghai")


@pytest.mark.process
@pytest.mark.parametrize(
    ("script", "dag", "zone"),
    [
        pytest.param(REPORT, DAG("d", schedule=SHANGHAI), "Asia/Shanghai", id="the timetable's days"),
        pytest.param(REPORT, DAG("d", schedule=None), "UTC", id="no timetable"),
        pytest.param(REPORT, None, "UTC", id="no DAG"),
        pytest.param(
            f"SET 'table.local-time-zone' = 'Europe/Berlin';{REPORT}",
            DAG("d", schedule=SHANGHAI),
            "Europe/Berlin",
            id="the report's own",
        ),
        pytest.param(
            REPORT.replace("ts TIMESTAMP(3)", "ts TIMESTAMP_LTZ(3)"),
            DAG("d", schedule=SHANGHAI),
            "UTC",
            id="instants are on the report's clock",
        ),
    ],
)
def test_the_zone_of_a_data_interval(tmp_path: Path, script: str, dag: DAG | None, zone: str) -> None:
    report = Planner(needed_environment()).facts(FactsRequest(ReportRequest(str(furnish(tmp_path, script)))))
    assert zone_of_clock(report, {"dag": dag}) == zone


@pytest.mark.process
def test_a_day_of_shanghai_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []

    def run(self: object, request: BackfillRequest) -> Any:
        found.append((request.batch.start, request.batch.end))
        return SimpleNamespace(result=BackfillSummary("curve", 0, (), 0, 0, None).to_json())

    monkeypatch.setattr(NrtBackfillOperator, "run_batch", run)
    with DAG("d", schedule=SHANGHAI) as dag:
        task = NrtBackfillOperator(task_id="backfill", report=str(furnish(tmp_path)), home=str(tmp_path / "home"))
    start = pendulum.datetime(2024, 6, 17, 16, tz="UTC")
    about: Any = {"dag": dag, "ti": SimpleNamespace(xcom_push={}.__setitem__)}
    task.execute({**about, "data_interval_start": start, "data_interval_end": start.add(days=1)})
    assert found == [("2024-06-18 00:00:00", "2024-06-19 00:00:00")]
