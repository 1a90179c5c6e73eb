"""One task of a dispatcher on real homes: what it claims, emits and takes again."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.sdk import Asset
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException
from airflow.sdk.execution_time.context import OutletEventAccessors

from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Position, Tick
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.operators.window_events import NrtDispatchOperator
from airflow_nrt.sql.load import load_report
from airflow_nrt.triggers.cursor import Cursor
from tests.home.retention.logs import LongHome
from tests.home.short_logs import VOLUME, shorten
from tests.launch.homes import REPORT, lease, new_home
from tests.triggers.test_window_events import complete

CURVE, LOG = Asset("curve"), Asset("curve_log")
MINUTE = 60_000


class Airflow:
    """What a task asks Airflow: the asset's state store, and how earlier runs ended."""

    def __init__(self, home: Home) -> None:
        begin = Cursor.at_begin(home, catchup=True, now=0).to_json()
        self.kept: dict[str, Any] = {"complete": begin, "restated": begin}
        self.states: dict[str, str] = {}

    def __getitem__(self, asset: Asset) -> Airflow:
        return self

    def get(self, key: str) -> Any:
        return self.kept.get(key)

    def set(self, key: str, value: Any) -> None:
        self.kept[key] = value

    def get_task_states(self, dag_id: str, task_ids: list[str], run_ids: list[str]) -> dict[str, dict[str, str]]:
        return {run: dict.fromkeys(task_ids, self.states[run]) for run in run_ids if run in self.states}

    def run(self, home: Home, run_id: str, ends: str = "success", **options: Any) -> list[str]:
        """The keys that a run emits, in their order."""
        ti = SimpleNamespace(dag_id="d", task_id="complete", run_id=run_id, get_task_states=self.get_task_states)
        self.context = {"ti": ti, "asset_state_store": self, "outlet_events": OutletEventAccessors()}
        arguments = {"log": LOG, "asset": CURVE, "kind": "complete", "home": str(home.path), **options}
        try:
            NrtDispatchOperator(task_id="complete", **arguments).execute(self.context)  # type: ignore[arg-type]
        except AirflowSkipException:
            ends = "skipped"
        self.states[run_id] = ends
        return list(self.context["outlet_events"][CURVE].partition_keys)  # type: ignore[index]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return new_home(tmp_path)


@pytest.fixture
def writer(home: Home) -> Writer:
    return lease(home)


def test_windows_are_emitted_once_and_in_their_order(home: Home, writer: Writer) -> None:
    airflow = Airflow(home)
    for minute in range(10, 100, 10):
        last = complete(writer, minute * MINUTE)
    keys = airflow.run(home, "first")
    assert keys == [f"1970-01-01T{minute // 60:02d}:{minute % 60:02d}:00" for minute in range(10, 100, 10)]
    extra = airflow.context["outlet_events"][CURVE].extra  # type: ignore[index]
    assert (extra["report"], extra["table"], extra["entry"]) == ("orders_curve", "orders_curve", last)
    assert extra["home"] == str(home.path) and extra["delay_seconds"] >= 0
    assert airflow.run(home, "second") == []
    complete(writer, 100 * MINUTE)
    assert airflow.run(home, "third") == ["1970-01-01T01:40:00"]


def test_another_try_emits_what_the_first_one_took_and_nothing_more(home: Home, writer: Writer) -> None:
    airflow = Airflow(home)
    complete(writer, 10 * MINUTE)
    first = airflow.run(home, "first", ends="failed")
    complete(writer, 20 * MINUTE)
    assert airflow.run(home, "first") == first == ["1970-01-01T00:10:00"]
    assert airflow.run(home, "second") == ["1970-01-01T00:20:00"]


@pytest.mark.parametrize("ends", ["failed", "upstream_failed", "removed"])
def test_the_windows_of_a_run_that_did_not_succeed_are_emitted_by_the_next(
    home: Home, writer: Writer, ends: str
) -> None:
    airflow = Airflow(home)
    complete(writer, 10 * MINUTE)
    airflow.run(home, "first", ends=ends)
    complete(writer, 20 * MINUTE)
    assert airflow.run(home, "second") == ["1970-01-01T00:10:00", "1970-01-01T00:20:00"]
    assert airflow.run(home, "first") == [], "the failed run is cleared later"


def test_a_run_that_finds_no_window_closes_the_claim(home: Home, writer: Writer) -> None:
    airflow = Airflow(home)
    complete(writer, 10 * MINUTE)
    airflow.run(home, "first")
    assert Cursor.from_json(airflow.kept["complete"]).is_open
    writer.append(Tick((), 0, Position()))
    airflow.run(home, "second")
    assert not Cursor.from_json(airflow.kept["complete"]).is_open


def test_the_windows_of_a_run_that_was_deleted_are_emitted_again(home: Home, writer: Writer) -> None:
    airflow = Airflow(home)
    complete(writer, 10 * MINUTE)
    keys = airflow.run(home, "first")
    del airflow.states["first"]
    assert airflow.run(home, "second") == keys


def test_a_home_that_was_made_anew_is_emitted_from_its_begin(tmp_path: Path, home: Home, writer: Writer) -> None:
    airflow = Airflow(home)
    complete(writer, 10 * MINUTE)
    airflow.run(home, "first")
    another = new_home(tmp_path / "another")
    complete(lease(another), 30 * MINUTE)
    assert airflow.run(another, "second") == ["1970-01-01T00:30:00"]


def test_before_the_watcher_has_looked_nothing_is_emitted(home: Home, writer: Writer) -> None:
    airflow = Airflow(home)
    airflow.kept.clear()
    complete(writer, 10 * MINUTE)
    assert airflow.run(home, "by hand") == []
    assert airflow.kept == {}


def test_a_table_that_has_no_windows_fails_for_good(home: Home) -> None:
    with pytest.raises(AirflowFailException, match="no windows in a table 'shops'"):
        Airflow(home).run(home, "first", table="shops")


def test_windows_below_a_floor_are_named_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The task's log says which entries are gone. The cursor goes on above them, so that the next run says nothing."""
    shorten(monkeypatch)
    long = LongHome(tmp_path).of(load_report(REPORT, {"DATA": str(tmp_path)}))
    long.grow(4 * VOLUME)
    first, airflow = long.retain().first, Airflow(long.home)
    published = [one.published[0].end for one in long.all[first:] if one.published]
    keys = airflow.run(long.home, "first", table="sales")
    assert len(keys) == len(published) > 0
    note = f"windows of sales that entries 0 to {first - 1} have published become no asset events: run the DAGs"
    assert [note in one for one in caplog.messages].count(True) == 1
    caplog.clear()
    long.grow(1)
    airflow.run(long.home, "second", table="sales")
    assert not any("become no asset events" in one for one in caplog.messages)
