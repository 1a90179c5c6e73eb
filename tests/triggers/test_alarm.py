"""Freshness on real homes, said to a real web hook."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from airflow.sdk.definitions.callback import AsyncCallback

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.instants import iso_instant
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import OperatorState, Position, Tick
from airflow_nrt.model.windows import Every
from airflow_nrt.notifications.nrt import NrtNotifier
from airflow_nrt.operators.stream import NrtStreamOperator
from airflow_nrt.triggers import alarm as alarms
from airflow_nrt.triggers.alarm import FreshnessWatch, look_at_tables
from airflow_nrt.triggers.callbacks import Callback
from airflow_nrt.triggers.driver import NrtDriverTrigger
from airflow_nrt.triggers.freshness import TableObservation
from airflow_nrt.triggers.watch_settings import Alarm
from tests.clock import Clock
from tests.launch.homes import beat, lease, new_home
from tests.notifications.hook import WebHook, web_hook
from tests.triggers.looks import Looks

DAY, HOUR, MINUTE = 86_400_000, 3_600_000, 60_000
EVERY = 1 / 64
CALLED: list[dict[str, Any]] = []


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Iterator[WebHook]:
    with web_hook() as hook:
        monkeypatch.setenv("AIRFLOW_CONN_ALERTS", json.dumps({"conn_type": "http", "host": hook.url}))
        yield hook


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return new_home(tmp_path)


def reach(home: Home, minutes_ago: int) -> int:
    """The windows of the home are published up to then."""
    end = (now_ms() // MINUTE - minutes_ago) * MINUTE
    outline = home.outline()
    assert outline is not None
    operators = {name: OperatorState(watermark=end, fired=end) for name in outline.inserts[0].operators}
    writer = lease(home)
    beat(home, writer.epoch, entry=writer.append(Tick((), now_ms(), Position(operators=operators))).n)
    return end


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Looks:
    looks = Looks()
    monkeypatch.setattr(alarms, "WATCHER", looks)
    return looks


@pytest.fixture
def watch(home: Home, looks: Looks) -> Callable[..., None]:
    """Watches the home for an alarm, for so many looks."""

    def watch(alarm: Alarm, times: int = 5) -> None:
        async def listen() -> None:
            watching = FreshnessWatch(str(home.path), None, alarm, None, logging.getLogger("freshness"))
            running = asyncio.create_task(watching.run(every=EVERY))
            await looks.pass_by(times)
            running.cancel()

        asyncio.run(listen())

    return watch


async def called(context: dict[str, Any], to: str) -> None:
    CALLED.append({**context["nrt"], "to": to})


def test_a_stale_report_is_said_once(home: Home, hook: WebHook, watch: Callable[..., None]) -> None:
    reach(home, minutes_ago=60)
    alarm = Alarm(5 * MINUTE, "airflow_nrt.notifications.nrt.NrtNotifier", {"http_conn_id": "alerts"})
    watch(alarm)
    (text,) = hook.texts
    assert text.startswith("orders_curve is stale: the window that ends at")


def test_what_could_not_be_said_is_said_with_the_next_look(
    home: Home, hook: WebHook, watch: Callable[..., None]
) -> None:
    reach(home, minutes_ago=60)
    hook.answers = [503, 503]
    watch(Alarm(5 * MINUTE, "airflow_nrt.notifications.nrt.NrtNotifier", {"http_conn_id": "alerts"}), 12)
    assert len(hook.texts) == 1


async def failing(context: dict[str, Any]) -> None:
    CALLED.append(context["nrt"])
    if context["nrt"]["table"] == "first":
        raise ValueError("there is no first team")


def test_a_notice_that_fails_keeps_no_other_from_being_said_and_is_tried_less_and_less_often(
    watch: Callable[..., None], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(alarms, "time", clock)
    monkeypatch.setattr("tests.triggers.test_alarm.CALLED", [])
    looks = 0

    def both(home: Home) -> tuple[str, str | None, list[TableObservation]]:
        nonlocal looks
        looks += 1
        clock.sleep(EVERY)
        # The report catches up meanwhile.
        reached = now_ms() // DAY * DAY - (100 - looks) * DAY
        return "shops", None, [TableObservation(table, Every(DAY), reached, 0) for table in ("first", "second")]

    monkeypatch.setattr("airflow_nrt.triggers.alarm.look_at_tables", both)
    watch(Alarm(5 * MINUTE, f"{__name__}.failing"), 20)
    told = [facts["table"] for facts in CALLED]
    assert told.count("second") == 1
    assert told.count("first") == len([1, 2, 4, 8, 16]) and looks >= 20
    said = [record.getMessage() for record in caplog.records if record.name == "freshness"]
    logged = [text.partition(" is stale")[0] for text in said]
    assert logged == ["first", "a notice about first is not delivered yet: there is no first team", "second"]


async def failing_twice(context: dict[str, Any]) -> None:
    CALLED.append({"who": "failing"})
    if [one["who"] for one in CALLED].count("failing") < 3:
        raise ValueError("not now")


async def other(context: dict[str, Any]) -> None:
    CALLED.append({"who": "other"})


def test_a_callback_that_fails_is_called_again_without_those_that_have_had_the_notice(
    home: Home, watch: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.triggers.test_alarm.CALLED", [])
    reach(home, minutes_ago=60)
    watch(Alarm.calling(5 * MINUTE, [Callback(f"{__name__}.failing_twice"), Callback(f"{__name__}.other")]), 16)
    assert sorted(one["who"] for one in CALLED) == ["failing", "failing", "failing", "other"]


def test_a_driver_that_has_just_started_stands_where_the_one_before_it_stood(
    home: Home, hook: WebHook, watch: Callable[..., None]
) -> None:
    """Its heartbeat says of no entry yet that it is published."""
    end = reach(home, minutes_ago=1)
    beat(home, lease(home).epoch, entry=-1)
    assert look_at_tables(home)[2][0].complete_until == end
    watch(Alarm(HOUR, "airflow_nrt.notifications.nrt.NrtNotifier", {"http_conn_id": "alerts"}))
    assert hook.texts == []


def test_a_fresh_report_is_not_said_to_be_so(home: Home, hook: WebHook, watch: Callable[..., None]) -> None:
    reach(home, minutes_ago=1)
    watch(Alarm(HOUR, "airflow_nrt.notifications.nrt.NrtNotifier", {"http_conn_id": "alerts"}))
    assert hook.texts == []


def test_a_function_is_called_with_the_facts(home: Home, watch: Callable[..., None]) -> None:
    end = reach(home, minutes_ago=60)
    watch(Alarm(5 * MINUTE, f"{__name__}.called", {"to": "the night shift"}))
    (facts,) = CALLED
    assert (facts["to"], facts["report"], facts["table"]) == ("the night shift", "orders_curve", "orders_curve")
    assert (facts["state"], facts["allowed_seconds"], facts["home"]) == ("stale", 300, str(home.path))
    assert facts["missing"][0] == iso_instant(end + 10 * MINUTE) and facts["missing"][-1] == facts["window_end"]
    assert facts["missing_count"] == len(facts["missing"]) == 5
    assert facts["missing_since"] == iso_instant(end + 15 * MINUTE)
    assert facts["cause"].startswith("no newer rows have come, the watermark is ")
    assert look_at_tables(home)[2][0].complete_until == end


def test_a_trigger_judges_while_it_supervises(home: Home, hook: WebHook) -> None:
    reach(home, minutes_ago=60)
    alarm = Alarm(5 * MINUTE, "airflow_nrt.notifications.nrt.NrtNotifier", {"http_conn_id": "alerts"})

    async def supervise() -> None:
        trigger = NrtDriverTrigger(str(home.path), poll_interval=0.1, freshness=alarm.to_json())
        running = asyncio.ensure_future(anext(trigger.run()))  # type: ignore[arg-type]
        while not hook.texts:
            await asyncio.sleep(0.01)
        running.cancel()
        await asyncio.sleep(0.1)
        left = [one for one in asyncio.all_tasks() if "FreshnessWatch" in repr(one)]
        assert left == []

    asyncio.run(supervise())
    assert len(hook.texts) == 1


def test_a_stream_keeps_all_its_callbacks_for_its_trigger() -> None:
    both = [NrtNotifier(http_conn_id="alerts"), AsyncCallback(called, {"to": "the night shift"})]
    task = NrtStreamOperator(task_id="s", report="r.sql", home="h", freshness="15 min", freshness_callback=both)
    trigger = NrtDriverTrigger("h", **json.loads(json.dumps(task.watch.to_json())))
    assert trigger.watch == task.watch
    assert trigger.watch.freshness is not None
    assert [one.path.rpartition(".")[2] for one in trigger.watch.freshness.callbacks] == ["NrtNotifier", "called"]


def test_a_stream_s_freshness_is_checked_when_the_dag_is_parsed() -> None:
    notify = AsyncCallback(NrtNotifier, {"http_conn_id": "alerts"})
    NrtStreamOperator(task_id="s", report="r.sql", home="h", freshness="15 min", freshness_callback=notify)
    with pytest.raises(InputError, match="freshness: 'soon' is not a duration"):
        NrtStreamOperator(task_id="s", report="r.sql", home="h", freshness="soon")
    with pytest.raises(InputError, match="can't be called in the triggerer"):
        NrtStreamOperator(task_id="s", report="r.sql", home="h", freshness="15 min", freshness_callback=called)
    with pytest.raises(ValueError, match="give that too"):
        NrtStreamOperator(task_id="s", report="r.sql", home="h", freshness_callback=notify)
