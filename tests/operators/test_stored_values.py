"""`${conn:NAME.field}` and `${var:NAME}`: values that Airflow keeps, which no file of a home has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tests.airflow_home  # noqa: F401
from airflow_nrt.basics.errors import InputError
from airflow_nrt.home.home import Home
from airflow_nrt.model.options.settings import Settings
from airflow_nrt.operators.stored_values import stored_values
from airflow_nrt.operators.stream import NrtStreamOperator
from airflow_nrt.sql.load import load_report

REPORT = """
CREATE TABLE orders (shop INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'csv');
CREATE TABLE curve (shop INT, window_end TIMESTAMP(3), n BIGINT) WITH ('connector' = 'jdbc',
  'url' = 'jdbc:postgresql://${conn:shop_db.host}:${conn:shop_db.port}/${conn:shop_db.schema}',
  'table-name' = '${var:curve_table}', 'username' = '${conn:shop_db.login}', 'password' = '${conn:shop_db.password}');
INSERT INTO curve SELECT shop, window_end, COUNT(*)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY shop, window_start, window_end;
"""
CANARY = "canary-8d1f"


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    keeps(monkeypatch, CANARY)
    monkeypatch.setenv("AIRFLOW_VAR_CURVE_TABLE", "curves")
    file = tmp_path / "curve.sql"
    file.write_text(REPORT)
    (tmp_path / "orders").mkdir()
    return file


def keeps(monkeypatch: pytest.MonkeyPatch, password: str) -> None:
    """What Airflow keeps from now on."""
    fields = {"conn_type": "postgres", "host": "db.example", "port": 5432, "login": "app", "schema": "shop"}
    connection = json.dumps({**fields, "password": password, "extra": {"sslmode": "require"}})
    monkeypatch.setenv("AIRFLOW_CONN_SHOP_DB", connection)


def settings_of(report: Path) -> Settings:
    return NrtStreamOperator(task_id="stream", report=str(report), home=str(report.parent / "home")).report_settings()


def test_a_task_gives_them_to_its_report(report: Path) -> None:
    given = settings_of(report)
    sink = load_report(report, given).inserts[0].sink
    assert sink.options["url"] == "jdbc:postgresql://db.example:5432/shop"
    assert (sink.options["table-name"], sink.options["username"], sink.options["password"]) == ("curves", "app", CANARY)
    # Logs hide the password, not the name of a database that is in many words.
    assert given.shown(f"the shop said {CANARY}") == "the shop said ${conn:shop_db.password}"


def test_no_file_of_a_home_has_them_and_a_new_password_is_no_change(
    report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home.create(report.parent / "home", load_report(report, settings_of(report)))
    texts = [file.read_text() for file in home.path.rglob("*") if file.is_file()]
    assert texts and not any(word in text for text in texts for word in (CANARY, "db.example"))
    assert "${conn:shop_db.password}" in home.report_file.read_text()
    keeps(monkeypatch, "another")
    Home.create(report.parent / "home", load_report(report, settings_of(report)))


@pytest.mark.parametrize(
    ("placeholder", "error"),
    [
        ("${conn:nobody.host}", "there is no connection 'nobody': add it under Admin > Connections"),
        ("${conn:shop_db.hosst}", "a connection has host, port, login, password, schema and extra.NAME"),
        ("${conn:shop_db.extra.sslkey}", "connection 'shop_db' has none: fill it in"),
        ("${var:nothing}", "Airflow has no variable 'nothing': add it under Admin > Variables"),
    ],
)
def test_what_is_missing_is_named(report: Path, placeholder: str, error: str) -> None:
    with pytest.raises(InputError) as wrong:
        stored_values(f"SELECT '{placeholder}'")
    assert error in str(wrong.value) and placeholder in str(wrong.value)


def test_an_extra(report: Path) -> None:
    assert stored_values("'${conn:shop_db.extra.sslmode}' '${DATA}'") == {"conn:shop_db.extra.sslmode": "require"}


def test_without_airflow_they_are_given_as_others_are(report: Path) -> None:
    with pytest.raises(InputError, match=r"a task takes it from Airflow; here give one with --set conn:shop_db\.host="):
        load_report(report, {})
