"""Which settings of a task a run has chosen: those that a template takes from it, in whatever way a task is made."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from airflow.sdk import DAG, task

import tests.airflow_home  # noqa: F401
from airflow_nrt.basics.errors import InputError
from airflow_nrt.operators.stream import NrtStreamOperator
from airflow_nrt.operators.verify import NrtVerifyOperator
from airflow_nrt.sql.load import load_report

REPORT = """
CREATE TABLE orders (shop INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = '{orders}', 'format' = 'csv');
CREATE TABLE curve (shop INT, window_end TIMESTAMP(3), n BIGINT)
WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'json');
INSERT INTO curve SELECT shop, window_end, COUNT(*)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY shop, window_start, window_end;
"""
CONTEXT: dict[str, Any] = {
    "params": {"shop": "berlin", "up": "../../etc/cron.d"},
    "ds": "2024-06-18",
    "var": {"value": {"data": "/data/of/all"}},
    "run_id": "manual/../x",
}


@pytest.fixture
def report(tmp_path: Path) -> Path:
    (tmp_path / "orders").mkdir()
    (tmp_path / "curve.sql").write_text(REPORT.format(orders=tmp_path / "orders", path=f"{tmp_path}/out/${{X}}"))
    return tmp_path / "curve.sql"


def of_run(operator: Any, **more: Any) -> dict[str, str]:
    """The settings that are of the run, after templates were rendered."""
    operator.render_template_fields({**CONTEXT, **more})
    given = operator.report_settings()
    return {name: text for name, text in given.values if name in given.of_run}


@pytest.mark.parametrize(
    "template",
    [
        "{{ params.shop }}", "a/{{ params['shop'] }}", "{% if params.shop %}x{% endif %}", "{{ run_id }}",
        "{{ var.value[params.shop] }}", "{% set var = params.shop %}{{ var }}", "{{ dag_run.conf.x | default('') }}",
        "{% for conn in params.values() %}{{ conn }}{% endfor %}", "{{ ds ~ params.shop }}",
    ],
)  # fmt: skip
def test_a_template_that_refers_to_the_run_is_of_it(report: Path, template: str) -> None:
    operator = NrtVerifyOperator(task_id="verify", report=str(report), settings={"X": template, "Y": "{{"[:1]})
    assert of_run(operator, dag_run={"conf": {}}).keys() == {"X"}


@pytest.mark.parametrize(
    "value",
    ["/data", 5, Path("/data"), "{{ var.value.data }}/x", "{{ ds }}", "/d/{{ ds }}", "{{ 1 + 1 }}", "{{ '{{' }}"],
)
def test_literals_variables_and_times_are_not(report: Path, value: Any) -> None:
    assert of_run(NrtVerifyOperator(task_id="verify", report=str(report), settings={"X": value})) == {}


def test_what_a_run_may_and_may_not_choose(report: Path) -> None:
    def planned(template: str) -> str:
        operator = NrtStreamOperator(task_id="stream", report=str(report), settings={"X": template})
        operator.render_template_fields(CONTEXT)  # type: ignore[arg-type]
        return load_report(report, operator.report_settings()).inserts[0].sink.path

    assert planned("{{ params.shop }}") == f"{report.parent}/out/berlin"
    assert planned("{{ var.value.data }}") == f"{report.parent}/out/data/of/all"
    with pytest.raises(InputError, match=r"option 'path': the value of \$\{X\} comes from a run"):
        planned("{{ params.up }}")


def test_rendered_twice_it_is_the_run_s_all_the_same(report: Path) -> None:
    operator = NrtVerifyOperator(task_id="verify", report=str(report), settings={"X": "{{ params.shop }}"})
    operator.render_template_fields(CONTEXT)  # type: ignore[arg-type]
    assert of_run(operator) == {"X": "berlin"}


def test_settings_of_another_task_are_of_the_run(report: Path) -> None:
    with DAG("before", schedule=None, start_date=datetime(2024, 1, 1, tzinfo=timezone.utc)):

        @task
        def chosen() -> dict[str, str]:
            return {"X": "berlin"}

        operator = NrtVerifyOperator(task_id="verify", report=str(report), settings=chosen())
    operator.settings = {"X": "berlin"}
    assert dict(operator.report_settings().values)["X"] == "berlin"
    assert operator.report_settings().of_run == ("X",)


@pytest.mark.parametrize(
    ("partial", "expand", "expected"),
    [
        ({"settings": {"X": "/data", "Y": "{{ params.shop }}"}}, {"report": ["a.sql"]}, ("Y",)),
        ({}, {"settings": [{"X": "/a", "Y": "{{ params.shop }}"}, {"X": "/b"}]}, ("Y",)),
        ({}, [{"settings": {"X": "/a", "Y": "{{ params.shop }}"}}], ("Y",)),
        ({}, "of another task", ("X", "Y")),
        ({"settings": {"X": "/data", "Y": "{{ params.shop }}"}}, "kwargs of another task", ("Y",)),
    ],
)
def test_mapped_tasks(report: Path, partial: Any, expand: Any, expected: tuple[str, ...]) -> None:
    with DAG("mapped", schedule=None, start_date=datetime(2024, 1, 1, tzinfo=timezone.utc)) as dag:

        @task
        def chosen() -> list[dict[str, str]]:
            return [{"X": "berlin"}]

        begun = NrtVerifyOperator.partial(task_id="verify", home="/x", **partial)
        if expand == "kwargs of another task":
            begun.expand_kwargs(chosen())
        elif isinstance(expand, list):
            begun.expand_kwargs(expand)
        else:
            begun.expand(**(expand if isinstance(expand, dict) else {"settings": chosen()}))
    settings = partial.get("settings", {"X": "/a", "Y": "berlin"})
    fields = {"report": "curve.sql", "home": "/x", "settings": settings}
    operator = NrtVerifyOperator(task_id="verify", **fields, _airflow_from_mapped=True)
    operator.dag = dag
    # As Airflow renders them.
    operator.settings = {"X": "/a", "Y": "berlin"}
    assert operator.report_settings().of_run == expected


def of_fields(**fields: Any) -> NrtVerifyOperator:
    """An operator whose fields were rendered for a run."""
    chosen = {"name": "curve", "up": "../../etc", "abs": "/etc/x", "module": "os:system", "server": "spark://evil:7077"}
    operator = NrtVerifyOperator(task_id="verify", **{"report": "curve.sql", **fields})
    operator.render_template_fields({"params": chosen, "var": {"value": {"dir": "/srv"}}})  # type: ignore[arg-type]
    return operator


@pytest.mark.parametrize("field", ["report", "home"])
@pytest.mark.parametrize(
    "template",
    [
        "{{ params.up }}", "{{ params.abs }}", "dir/{{ params.up }}.sql", "/data/homes/{{ params.up }}",
        "{{ params.module }}", "{{ var.value.dir }}/{{ params.up }}", "file://{{ params.abs }}{{ params.module }}",
    ],
)  # fmt: skip
def test_a_run_leads_no_path_out_of_its_directory(field: str, template: str) -> None:
    with pytest.raises(InputError, match=f"{field}: a run of the DAG has chosen it, and may choose a name below"):
        of_fields(**{field: template}).report_settings()


@pytest.mark.parametrize("field", ["report", "home"])
@pytest.mark.parametrize(
    "text",
    [
        "{{ params.name }}", "{{ params.name }}.sql", "../dir/{{ params.name }}.sql", "/data/{{ params.name }}",
        "{{ var.value.dir }}/{{ params.name }}", "../up", "/data/x", "package.module:build", "{{ var.value.dir }}/../x",
    ],
)  # fmt: skip
def test_a_run_chooses_a_name_and_an_author_a_path(field: str, text: str) -> None:
    assert of_fields(**{field: text}).report_settings().of_run == ()


def test_a_run_chooses_no_server() -> None:
    with pytest.raises(InputError, match="master: a run of the DAG has chosen it, and may not choose a server"):
        of_fields(master="{{ params.server }}").report_settings()
    assert of_fields(master="spark://host:7077").report_settings().values == ()
    assert of_fields(master="local[{{ params.name | length }}]").report_settings().values == ()


def test_a_file_that_a_run_may_not_choose_is_not_shown(report: Path) -> None:
    (report.parent / "dag.py").write_text("PASSWORD_OF = 'x'")
    operator = NrtVerifyOperator(task_id="verify", report="{{ params.file }}")
    operator.render_template_fields({"params": {"file": str(report.parent / "dag.py")}})  # type: ignore[arg-type]
    assert operator.sql is None
