"""Arithmetic without a result: an error that shows the way out, or NULL, which a living home takes with an entry."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import DataError, InputError
from airflow_nrt.cli.main import main
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.query import run_bounded
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.log.history.arithmetic import check_arithmetic
from airflow_nrt.home.notes.nulled import NulledExpression, nulled_expressions
from airflow_nrt.home.status import read_status
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script
from airflow_nrt.sql.planner import plan_query
from tests.engine.reports import Stream, write_lines

NULL = "SET 'table.exec.arithmetic-error' = 'null';"
TABLE = (
    "CREATE TABLE t (id INT, n BIGINT, i INT, s SMALLINT, d DOUBLE, m DECIMAL(10, 2), ts TIMESTAMP(3), "
    "WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem', 'path' = '{place}/t', 'format' = 'json'{live});"
)
LEAST = {"id": 1, "n": -(2**63), "i": -(2**31), "s": -(2**15), "d": 1e30, "m": 1.5, "ts": "2024-06-18 00:01:00"}
PLAIN = {"id": 2, "n": 7, "i": 7, "s": 7, "d": 7.5, "m": 7.5, "ts": "2024-06-18 00:02:00"}
NONE = {"id": 3, "ts": "2024-06-18 00:03:00"}
FAILING = {
    "n - 1": 6, "n + n": 14, "n * 2": 14, "n / -1": -7, "i - 1": 6, "i / -1": -7, "-n": -7, "-i": -7, "ABS(n)": 7,
    "s * s": 49, "CAST(n AS INT)": 7, "CAST(d AS BIGINT)": 7, "ROUND(n - 0, -1)": 10, "n - 1 + 1": 7,
    "n / (id - 1)": 7, "n % (id - 1)": 0, "MOD(n, id - 1)": 0, "m / (id - 1)": 7.5,
}  # fmt: skip


def test_null_in_place_of_an_error(spark, tmp_path: Path) -> None:
    """The results of a row that can be computed, and of NULL operands, are what they are without the setting."""
    write_lines(tmp_path / "t" / "a.json", [json.dumps(one) for one in (LEAST, PLAIN, NONE)])
    query = "SELECT id, " + ", ".join(f"{text} AS x{n}" for n, text in enumerate(FAILING)) + " FROM t ORDER BY id"
    ddl = TABLE.format(place=tmp_path, live="")
    first, second, third = (
        json.loads(one) for one in run_bounded(spark, plan_query(NULL + ddl, query, tmp_path), "batch")
    )
    wrong = {text: value for text, value in zip(("id", *FAILING), first.values()) if value is not None}
    assert wrong == {"id": 1}
    assert [float(value) for value in second.values()] == [2.0, *map(float, FAILING.values())]
    assert set(third.values()) == {3, None}
    with pytest.raises(Exception) as raised:
        list(run_bounded(spark, plan_query(ddl, "SELECT n / (id - 1) AS x FROM t", tmp_path), "batch"))
    meant = explained(raised.value)
    assert isinstance(meant, DataError) and NULL.rstrip(";") in str(meant)


SUMS = """(SELECT id, window_start, window_end, SUM(n) AS k
    FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY id, window_start, window_end)"""
IN_CLAUSES = {
    "above values": "SELECT a AS id, a * 7 / 2 / b AS x FROM (VALUES (1, 0), (2, 1)) AS v (a, b)",
    "in ON, above UNNEST": """SELECT t.id, u.x FROM t LEFT JOIN t AS o ON t.id = o.id AND o.n / (o.id - 1) > 0
        CROSS JOIN UNNEST(ARRAY[t.n / (t.id - 1)]) AS u (x)""",
    "in PARTITION BY": f"""SELECT id, x FROM (SELECT id, CAST(k / (id - 1) AS INT) AS x, ROW_NUMBER() OVER (
        PARTITION BY window_start, window_end, CAST(k / (id - 1) AS INT) ORDER BY id) AS r FROM {SUMS}) WHERE r = 1""",
}


@pytest.mark.parametrize("mode", ["batch", "stream"])
@pytest.mark.parametrize("query", IN_CLAUSES.values(), ids=IN_CLAUSES)
def test_null_in_other_clauses(spark, tmp_path: Path, query: str, mode: str) -> None:
    write_lines(tmp_path / "t" / "a.json", [json.dumps({**LEAST, "n": 9}), json.dumps(PLAIN)])
    settings = f"{NULL} SET 'table.exec.state.unbounded' = 'allow';"
    plan = plan_query(settings + TABLE.format(place=tmp_path, live=""), query, tmp_path)
    told = [json.loads(one) for one in run_bounded(spark, plan, mode)]
    assert sorted({one["id"]: one["x"] for one in told}.items()) == [(1, None), (2, 7)]


def report(place: Path, settings: str = "") -> Plan:
    script = (
        f"{settings}{TABLE.format(place=place, live=', ' + repr('source.monitor-interval') + ' = ' + repr('1s'))}"
        "CREATE TABLE told (id INT, e TIMESTAMP(3), total BIGINT, q BIGINT, r BIGINT) WITH "
        f"('connector' = 'filesystem', 'path' = '{place}/told', 'format' = 'json');"
        "INSERT INTO told SELECT id, window_end, SUM(n), SUM(n / (i - 7)), id % (SUM(s) - 14) FROM "
        "TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), "
        "INTERVAL '1' MINUTE)) GROUP BY id, window_start, window_end;"
    )
    return plan_script(script, {}, "report", place)


def test_a_number_that_does_not_fit_a_decimal_is_counted(spark, tmp_path: Path) -> None:
    """Of a column that is narrower than its value. It is NULL, as in Flink."""
    ddl = TABLE.format(place=tmp_path, live=", 'source.monitor-interval' = '1s'")
    script = f"""{ddl}
    CREATE TABLE told (id INT, e TIMESTAMP(3), total DECIMAL(4, 1), other DECIMAL(38, 2))
    WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/told', 'format' = 'json');
    INSERT INTO told SELECT id, window_end, SUM(m), SUM(m) FROM TABLE(
    TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY id, window_start, window_end;"""
    plan = plan_script(script, {}, "report", tmp_path)
    stream = Stream(spark, plan, tmp_path / "home")
    lines = [minute(1), minute(1, id=5, m=700), minute(1, id=5, m=600.5), minute(1, id=6, m=99999)]
    lines += [minute(1, id=7, m=None), minute(3)]
    stream.absorb(write_lines(tmp_path / "t" / "a.json", lines), source="t")
    noted = nulled_expressions(stream.home)
    window = "in the window that ends at 2024-06-18 00:02:00, key ({})"
    assert noted.keys() == {"column total of told"}
    assert noted["column total of told"].places == {window.format(5): 1, window.format(6): 1}
    assert verify(spark, plan, stream.home).is_proven


@pytest.mark.parametrize("text", ["CAST(n AS DECIMAL(4, 1))", "n * CAST('1E34' AS DECIMAL(35, 0))"])
def test_a_decimal_that_is_computed_and_does_not_fit_is_counted(spark, tmp_path: Path, text: str) -> None:
    """Below a window by its row, above one by its window and key; in a computed column before its time is known."""
    ddl = TABLE.format(place=tmp_path, live=", 'source.monitor-interval' = '1s'").replace(
        "ts TIMESTAMP(3)", f"c AS {text}, ts TIMESTAMP(3)"
    )
    above = text.replace("n", "SUM(n)", 1)
    script = f"""{ddl}
    CREATE TABLE told (id INT, e TIMESTAMP(3), below DECIMAL(38, 2), above DECIMAL(38, 2), c DECIMAL(38, 2))
    WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/told', 'format' = 'json');
    INSERT INTO told SELECT id, window_end, SUM({text}), {above}, SUM(c) FROM TABLE(
    TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY id, window_start, window_end;"""
    plan = plan_script(script, {}, "report", tmp_path)
    stream = Stream(spark, plan, tmp_path / "home")
    lines = [minute(1), minute(1, id=5, n=70000), minute(1, id=6, n=None), minute(3)]
    file = write_lines(tmp_path / "t" / "a.json", lines)
    stream.absorb(file, source="t")
    noted = {name: one.places for name, one in nulled_expressions(stream.home).items()}
    row = f"in row 1 of {file}"
    assert noted.pop(above) == {"in the window that ends at 2024-06-18 00:02:00, key (5)": 1}
    assert noted == {text: {row: 1, f"{row}, whose rowtime is 2024-06-18 00:01:00": 1}}
    assert verify(spark, plan, stream.home).is_proven


def rows(place: Path) -> list[tuple[object, ...]]:
    files = sorted((place / "told").rglob("*.json*"))
    found = [json.loads(text) for file in files for text in file.read_text().splitlines()]
    return sorted(((one["id"], one["total"], one["q"]) for one in found), key=str)


def minute(past: int, **changed: object) -> str:
    return json.dumps({**PLAIN, "i": 8, "ts": f"2024-06-18 00:{past:02}:00", **changed})


def test_the_message_names_what_the_row_is_in(spark, tmp_path: Path) -> None:
    stream = Stream(spark, report(tmp_path), tmp_path / "home")
    wrong = minute(2, i=7)
    file = write_lines(tmp_path / "t" / "the rows.json", [minute(1), minute(2), wrong, minute(3), minute(4, i=7)])
    with pytest.raises(DataError, match="Division by zero: n / ") as raised:
        stream.absorb(file, source="t")
    assert str(raised.value).endswith(f". The row is {file}: {wrong}")


def failing(spark, place: Path, queries: Sequence[str], *lines: str) -> str:
    """The end of the message about rows that are read by these queries, from the place on."""
    tables = "".join(
        f"CREATE TABLE o{n} (v BIGINT) WITH ('connector' = 'filesystem', 'path' = '{place}/o{n}', 'format' = "
        f"'debezium-json');"
        f"INSERT INTO o{n} {query};"
        for n, query in enumerate(queries)
    )
    begin = "SET 'table.exec.state.unbounded' = 'allow';"
    begin += TABLE.format(place=place, live=", 'source.monitor-interval' = '1s'")
    plan = plan_script(begin + tables, {}, "r", place)
    stream = Stream(spark, plan, place / "home")
    with pytest.raises(DataError, match="Division by zero: ") as raised:
        stream.absorb(write_lines(place / "t" / "a.json", lines), source="t")
    return str(raised.value).partition(". The row is ")[2]


def test_the_row_of_another_error_is_another(spark, tmp_path: Path) -> None:
    lines = [minute(1, s=0), minute(1), minute(1, i=7), minute(1)]
    queries = ["SELECT n / (i - 7) FROM t", "SELECT 1 + id % s FROM t"]
    assert failing(spark, tmp_path, queries, *lines).endswith(lines[2])


def test_several_rows_that_fail_together_have_no_row(spark, tmp_path: Path) -> None:
    query = "SELECT n / (k - 14) FROM (SELECT MAX(n) AS n, SUM(s) AS k FROM t GROUP BY id)"
    lines = [minute(1), minute(1, id=3, s=8), minute(1, s=7), minute(1, id=3, s=9)]
    assert failing(spark, tmp_path, [query], *lines) == f"in {tmp_path}/t/a.json"


def test_the_message_names_the_windows(spark, tmp_path: Path) -> None:
    stream = Stream(spark, report(tmp_path), tmp_path / "home")
    file = write_lines(tmp_path / "t" / "a.json", [minute(1), minute(1), minute(3)])
    with pytest.raises(Exception, match="SUM") as raised:
        stream.absorb(file, source="t")
    message = str(explained(raised.value))
    assert message.startswith("Division by zero: id % (SUM(s) - 14)"), message
    assert message.endswith("It is in a window that ends at 2024-06-18 00:03:00 or before"), message


def test_the_message_names_a_call_over_rows(spark, tmp_path: Path) -> None:
    """As the report has it, not as the plan does."""
    write_lines(tmp_path / "t" / "a.json", [minute(1), minute(2, i=7)])
    query = "SELECT id, SUM(n) OVER (ORDER BY ts) / (i - 7) AS x FROM t"
    plan = plan_query(TABLE.format(place=tmp_path, live=""), query, tmp_path)
    with pytest.raises(DataError) as raised:
        list(run_bounded(spark, plan, "stream"))
    message = str(raised.value)
    assert message.startswith("Division by zero: SUM(n) OVER (…) / (i - 7) (line 1, "), message
    assert message.endswith("It is in a window that fires at the end of the input"), message


def test_a_living_home_takes_it(spark, tmp_path: Path, capsys) -> None:
    """Stream and verification agree before the entry and after it; the home keeps it."""
    plan = report(tmp_path)
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(write_lines(tmp_path / "t" / "a.json", [minute(1), minute(2)]), source="t")
    bad = write_lines(tmp_path / "t" / "b.json", [minute(3, i=7), *(minute(4, id=5, n=2**62) for _ in "ab"), minute(6)])
    with pytest.raises(Exception) as raised:
        stream.absorb(bad, source="t")
    assert "Division by zero: n / (i - 7)" in str(explained(raised.value, plan.origins))
    check_arithmetic(plan, stream.home.log().position())
    taken = report(tmp_path, NULL)
    stream = Stream(spark, taken, tmp_path / "home")
    stream.absorb(bad, source="t")
    assert rows(tmp_path) == [(2, 7, 7), (2, 7, 7), (2, 7, None), (5, None, None)]
    noted = nulled_expressions(stream.home)
    window = "in the window that ends at 2024-06-18 00:05:00, key (5)"
    assert set(noted) == {"n / (i - 7)", "SUM(n)", "SUM(n / (i - 7))", "id % (SUM(s) - 14)"}
    assert noted["SUM(n)"] == NulledExpression(1, f"{2**63}", {window: 1})
    assert noted["id % (SUM(s) - 14)"] == NulledExpression(1, "5 % 0", {window: 1})
    assert noted["n / (i - 7)"].last == "7 / 0" and noted["n / (i - 7)"].count == 1
    place = f"in row 0 of {bad}, whose rowtime is 2024-06-18 00:03:00"
    status = read_status(stream.home)
    assert status.nulled_in["n / (i - 7)"] == {place: 1}
    assert main(["status", "--home", str(stream.home.path)]) == 0
    shown = f"SUM(n) could not be computed, and is NULL: 1 value\n            {window}: 1 value\n"
    assert shown in capsys.readouterr().out
    assert verify(spark, taken, stream.home).is_proven
    with pytest.raises(InputError, match="SET it as it was"):
        verify(spark, plan, stream.home)
