"""A live source rejects rows that can't be read, up to a number and a share of its rows of a day."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.errors import PySparkException

from airflow_nrt.basics.errors import DataError, NrtError
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.ledger import REJECTED, records
from airflow_nrt.model.plan import Plan
from tests.engine.reports import FEW, batch_results, curve_insert, events_table, plan_of, rows_of, write_lines

TUMBLE = "TUMBLE(INTERVAL '1' HOUR)"
GOOD = "1,1,5,a,10.00,0.5,2024-06-18 00:01:00"
NO_FIELD, NO_LINE, NO_TIME = (
    "2,1,five,a,10.00,0.5,2024-06-18 00:02:00",
    "3,1,5,a",
    "4,1,5,a,10.00,0.5,NULL",
)
LIVE = {"source__monitor_interval": "1 s"}


def report(place: Path, **options: str) -> Plan:
    return plan_of(place, events_table(**{**LIVE, **options}), curve_insert(TUMBLE, FEW))


def run(spark, plan: Plan, place: Path) -> Home:
    home = Home.create(place / "home", plan)
    Runner(spark, home.as_it_runs(plan), home, available_now=True).run()
    return home


def rejected(home: Home) -> list[tuple[str, str]]:
    found = [one for path in home.ledger.below() for one in records(path / REJECTED)]
    return sorted((one["reason"], one["line"]) for one in found)


def test_a_few_are_rejected(spark, tmp_path: Path) -> None:
    """With their lines: a field that is read as NULL would be counted in results."""
    plan = report(tmp_path)
    write_lines(tmp_path / "events" / "1.csv", [GOOD, NO_FIELD, NO_LINE, NO_TIME])
    home = run(spark, plan, tmp_path)
    # The window is open; this row ends it.
    write_lines(tmp_path / "events" / "2.csv", [NO_LINE, "9,1,5,a,10.00,0.5,2024-06-18 02:00:00"])
    home = run(spark, plan, tmp_path)
    assert rejected(home) == [
        ("NULL rowtime", NO_TIME),
        ("malformed line", NO_FIELD),
        ("malformed line", NO_LINE),
        ("malformed line", NO_LINE),
    ]
    assert [row[3:] for row in rows_of(tmp_path / "curve")] == [(1, 1, 10)]
    state = home.log().position().sources["events"]
    assert (state.rows, state.rejected, state.of_day.rows, state.of_day.unreadable) == (6, 4, 6, 4)
    assert verify(spark, plan, home).is_proven


def test_too_many_end_the_stream(spark, tmp_path: Path) -> None:
    plan = report(tmp_path, source__rejected__limit="1")
    write_lines(tmp_path / "events" / "1.csv", [GOOD, NO_FIELD, NO_LINE])
    with pytest.raises(DataError) as ended:
        run(spark, plan, tmp_path)
    said = str(ended.value)
    assert "2 of 3 rows that came today (UTC) into table events can't be read, more than" in said
    assert "'source.rejected.limit' = '1' allows; one of them: " in said
    assert "1.csv: column user_id: 'five' is no INT" in said and NO_FIELD in said
    assert said.endswith("Correct what writes them, or the columns of the table.")
    home = Home.at(tmp_path / "home")
    assert home.log().last == 0
    assert len(rejected(home)) == 1
    home = run(spark, report(tmp_path, source__rejected__limit="1, 70 %"), tmp_path)
    state = home.log().position().sources["events"]
    assert (state.rows, state.rejected, state.of_day.unreadable) == (3, 2, 2)


@pytest.mark.parametrize(
    "options",
    [
        {"csv__ignore_parse_errors": "false"},
        {"source__rejected__limit": "0"},
        {"source__monitor_interval": ""},
    ],
)
def test_where_a_malformed_line_is_an_error(spark, tmp_path: Path, options: dict[str, str]) -> None:
    """The option says so, or the source is bounded."""
    given = {name: text for name, text in {**LIVE, **options}.items() if text}
    plan = plan_of(tmp_path, events_table(**given), curve_insert(TUMBLE, FEW))
    write_lines(tmp_path / "events" / "1.csv", [GOOD, NO_LINE])
    with pytest.raises(DataError, match="a malformed line in table events"):
        run(spark, plan, tmp_path)
    with pytest.raises((NrtError, PySparkException)) as raised:
        batch_results(spark, plan, tmp_path / "events" / "1.csv")
    assert "a malformed line in table events" in str(explained(raised.value) or raised.value)


def test_a_home_of_before(spark, tmp_path: Path) -> None:
    """It was made when such a row was an error, and stays so until its report says otherwise."""
    plan = report(tmp_path)
    home = Home.create(tmp_path / "home", plan)
    home.report_file.local.write_text(
        home.report_file.local.read_text().replace('"source.rejected.limit"', '"nothing"')
    )
    write_lines(tmp_path / "events" / "1.csv", [GOOD, NO_LINE])
    with pytest.raises(DataError, match="a malformed line in table events"):
        run(spark, plan, tmp_path)
    home = run(spark, report(tmp_path, source__rejected__limit="5"), tmp_path)
    assert rejected(home) == [("malformed line", NO_LINE)]


def test_what_an_option_allows_has_no_limit(spark, tmp_path: Path) -> None:
    allowing = report(tmp_path, source__rejected__limit="1", csv__ignore_parse_errors="true", scan__null_rowtime="skip")
    write_lines(tmp_path / "events" / "1.csv", [GOOD, NO_TIME, NO_TIME])
    state = run(spark, allowing, tmp_path).log().position().sources["events"]
    assert (state.rejected, state.of_day.unreadable) == (2, 0)


def test_an_entry_keeps_its_limit(spark, tmp_path: Path) -> None:
    """What was rejected within a limit stays so for a report that allows none any more."""
    write_lines(tmp_path / "events" / "1.csv", [GOOD, NO_LINE, NO_TIME])
    run(spark, report(tmp_path), tmp_path)
    strict = report(tmp_path, csv__ignore_parse_errors="false", scan__null_rowtime="fail")
    write_lines(tmp_path / "events" / "2.csv", ["9,1,5,a,10.00,0.5,2024-06-18 02:00:00"])
    home = run(spark, strict, tmp_path)
    assert [row[3:] for row in rows_of(tmp_path / "curve")] == [(1, 1, 10)]
    assert verify(spark, strict, home).is_proven
