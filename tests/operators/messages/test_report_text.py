"""The rendered field `sql`: the report as Airflow's UI shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.operators.stream import NrtStreamOperator

REPORT = """\
-- {{ no template }}
CREATE TABLE orders (id BIGINT) WITH (
    'path' = '${DATA}', 'password' = 'hunter2', 'access.key' = '${KEY}', 'format' = 'csv'
);
"""


def sql_of(report: str, **options: object) -> str | None:
    task = NrtStreamOperator(task_id="stream", report=report, settings={"DATA": "/d", "KEY": "geheim"}, **options)  # type: ignore[arg-type]
    # Airflow renders a task anew for each attempt.
    for _ in range(2):
        task.render_template_fields({})
    return task.sql


def test_a_script_is_shown_with_its_placeholders_and_without_secrets(tmp_path: Path) -> None:
    (tmp_path / "orders.sql").write_text(REPORT)
    shown = sql_of(str(tmp_path / "orders.sql"))
    assert shown == REPORT.strip().replace("hunter2", "***")


def test_a_long_one_says_where_the_rest_is(tmp_path: Path) -> None:
    file = tmp_path / "long.sql"
    file.write_text("SELECT 1;\n" * 1000)
    shown = sql_of(str(file))
    assert shown is not None
    assert len(shown) == 4096
    assert shown.endswith(f"-- … (9999 characters: the rest is in {file})")


def test_a_program_is_shown_and_not_imported(tmp_path: Path) -> None:
    program = tmp_path / "shops.py"
    program.write_text("raise SystemExit('imported')\n")
    assert sql_of(str(program)) == "raise SystemExit('imported')"


@pytest.mark.parametrize("name", ["airflow.cfg", "missing.sql", "missing.py"])
def test_what_is_no_report_is_not_shown(tmp_path: Path, name: str) -> None:
    (tmp_path / "airflow.cfg").write_text("[core]\nfernet_key = geheim\n")
    assert sql_of(str(tmp_path / name)) is None
