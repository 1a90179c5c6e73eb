"""`${conn:NAME.field}` and `${var:NAME}`: values that Airflow keeps, which no file of a home has."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import tests.airflow_home  # noqa: F401
from airflow_nrt.basics.errors import InputError
from airflow_nrt.home.home import Home
from airflow_nrt.model.options.settings import Settings
from airflow_nrt.model.plan import Plan
from airflow_nrt.operators.stored_values import stored_values
from airflow_nrt.operators.stream import NrtStreamOperator
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.load import load_report, plan_script

REPORT = """
CREATE TABLE orders (shop INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'csv');
CREATE TABLE curve (shop INT, window_end TIMESTAMP(3), n BIGINT) WITH ('connector' = 'jdbc',
  'url' = 'jdbc:postgresql://${conn:shop_db.host}:${conn:shop_db.port}/${conn:shop_db.schema}',
  'table-name' = '${var:curve_table}', 'username' = '${conn:shop_db.login}', 'password' = '${conn:shop_db.password}');
INSERT INTO curve SELECT shop, window_end, COUNT(*)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY shop, window_start, window_end;
"""
WHOLE = re.sub(r"'url' = .*?,", "'connection' = 'shop_db',", REPORT, flags=re.DOTALL)
WHOLE = re.sub(r", 'username' = .*'\)", ")", WHOLE)
"""The same, by a connection that the table names."""
CANARY = "canary-8d1f"


@pytest.fixture(params=[REPORT, WHOLE], ids=["placeholders", "a connection"])
def report(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    keeps(monkeypatch, CANARY)
    monkeypatch.setenv("AIRFLOW_VAR_CURVE_TABLE", "curves")
    file = tmp_path / "curve.sql"
    file.write_text(request.param)
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
    stored = home.report_file.local.read_text()
    assert "${conn:shop_db.password}" in stored or "'connection' = 'shop_db'" in stored
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
    with pytest.raises(InputError, match=r"a task takes it from Airflow; here give .* with --set conn:shop_db\."):
        load_report(report, {"var:curve_table": "curves"})
    given = {"conn_type": "mysql", "host": "db", "port": "3307", "schema": "shop", "login": "me", "password": "it"}
    values = {f"conn:shop_db.{field}": text for field, text in given.items()}
    script = report.read_text()
    asked = {name: text for name, text in values.items() if name in script or "'connection'" in script}
    sink = load_report(report, {"var:curve_table": "curves", **asked}).inserts[0].sink
    assert sink.options["url"].endswith("://db:3307/shop") and sink.options["password"] == "it"


def of_connection(options: str = "", **fields: str) -> Plan:
    script = WHOLE.replace("'connection' = 'shop_db'", f"'connection' = 'shop_db'{options}").replace("${var:c", "c")
    values = {"conn_type": "postgres", "host": "db", "schema": "shop"} | fields
    given = {f"conn:shop_db.{field}": text for field, text in values.items() if text}
    return plan_script(script.replace("e_table}", "e_table"), given, "curve", Path())


def test_a_connection_says_which_database_it_is() -> None:
    plan = of_connection()
    assert plan.inserts[0].sink.options["url"] == "jdbc:postgresql://db:5432/shop" and plan.jars == ("postgresql",)
    plan = of_connection(conn_type="mysql", host="::1", schema="a+b")
    assert plan.inserts[0].sink.options["url"] == "jdbc:mysql://[::1]:3306/a+b" and plan.jars == ("mariadb",)


def test_the_name_of_a_database_is_escaped_for_a_driver_that_knows_escapes() -> None:
    assert of_connection(schema="a b").inserts[0].sink.options["url"] == "jdbc:postgresql://db:5432/a%20b"
    with pytest.raises(SqlError, match="its schema has a space, and this driver knows no escapes"):
        of_connection(conn_type="mysql", schema="a b")


@pytest.mark.parametrize(
    ("options", "fields", "error"),
    [
        (", 'url' = 'jdbc:mysql://a/b'", {}, "'connection' has what 'url' says, too: leave one of them out"),
        (", 'username' = 'me'", {}, "'connection' has what 'username' says, too"),
        (", 'password' = 'it'", {}, "'connection' has what 'password' says, too"),
        ("", {"conn_type": "http"}, "connection 'shop_db' is of type 'http': name one of type postgres or mysql"),
        ("", {"schema": ""}, "connection 'shop_db' has no schema: fill it in, or give --set conn:shop_db.schema=…"),
    ],
)
def test_what_a_connection_can_not_be(options: str, fields: dict[str, str], error: str) -> None:
    with pytest.raises(InputError) as wrong:
        of_connection(options, **fields)
    assert error in str(wrong.value)


def test_the_place_of_a_connection_without_values(tmp_path: Path) -> None:
    script = WHOLE.replace("${var:curve_table}", "curves")
    with pytest.raises(SqlError) as wrong:
        plan_script(script, {}, "curve", tmp_path)
    assert script[wrong.value.at.offset :].startswith("'connection' = 'shop_db'")


def test_a_connection_in_a_comment_is_not_asked_for() -> None:
    assert stored_values("WITH ('table-name' = 'a' -- , 'connection' = 'nobody'\n)") == {}


def test_a_connection_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AIRFLOW_CONN_SHOP_DB", raising=False)
    with pytest.raises(InputError, match="a table has 'connection' = 'shop_db', and there is no connection 'shop_db'"):
        stored_values("WITH ('connection' = 'shop_db')")
