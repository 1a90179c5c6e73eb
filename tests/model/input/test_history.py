"""Tables that can't be the past of a topic: one sentence names why, and the way out."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.instants import parse_instant
from airflow_nrt.describe.overlaps import check_places, check_sources
from airflow_nrt.home.identity.fingerprint import changes_between
from airflow_nrt.model.input.history import as_history
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script

LAKE = "shop INT, price INT, ts TIMESTAMP(3)"
TOPIC = f"{LAKE}, WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE"


def planned(
    place: Path,
    lake: str = LAKE,
    topic: str = TOPIC,
    until: str = "'scan.history.until' = '2024-06-18'",
    lake_options: str = "'connector' = 'filesystem', 'path' = 'lake', 'format' = 'parquet'",
    history: str = "lake",
    more: str = "",
    settings: str = "",
    startup: str | None = "'earliest-offset'",
) -> Plan:
    mode = "" if startup is None else f", 'scan.startup.mode' = {startup}"
    return plan_script(
        f"""{settings}
        CREATE TABLE lake ({lake}) WITH ({lake_options});
        CREATE TABLE orders ({topic}) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json',
          'properties.bootstrap.servers' = 'host:9092'{mode},
          'scan.history' = '{history}'{"," if until else ""} {until} {more});
        CREATE TABLE counts (ts TIMESTAMP(3), n BIGINT)
        WITH ('connector' = 'filesystem', 'path' = 'counts', 'format' = 'json');
        INSERT INTO counts SELECT CAST(window_end AS TIMESTAMP(3)), COUNT(price)
        FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' DAY)) GROUP BY window_start, window_end;
        """,
        {},
        "report",
        place,
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"history": "lakes"}, "there is no table 'lakes' for 'scan.history'; did you mean 'lake'"),
        ({"history": "orders"}, "table 'orders' can't be the past of 'orders': it is the topic itself"),
        ({"lake": "price INT"}, "table 'lake' lacks the column 'ts', which the report reads"),
        (
            {"lake": LAKE.replace("price INT", "price BIGINT")},
            "column 'price' is BIGINT in table 'lake', and INT in the topic: declare them alike",
        ),
        (
            {"lake_options": "'connector' = 'kafka', 'topic' = 'u', 'format' = 'json', 'scan.startup.mode' = "
             "'earliest-offset', 'properties.bootstrap.servers' = 'host:9092'"},
            "'lake' is of connector 'kafka': the past of a topic is in a table of connector 'filesystem', 'delta'",
        ),
        ({"until": "'scan.history.until' = 'noon'"}, "'noon' is not a time: write for example"),
        (
            {"more": ", 'archive' = 'lake'"},
            "'scan.history' of a topic with 'archive': not there yet; leave 'archive' out",
        ),
    ],
    ids=["unknown", "itself", "column", "type", "connector", "time", "archive"],
)  # fmt: skip
def test_refused(tmp_path: Path, given: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        planned(tmp_path, **given)


def test_two_pasts(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="are two pasts: leave one of them out"):
        planned(tmp_path, startup="'archive', 'scan.startup.home' = 'old'")


@pytest.mark.parametrize(
    ("kind", "until", "expected"),
    [
        ("TIMESTAMP(3)", "2024-06-18", "2024-06-18"),
        ("TIMESTAMP_LTZ(3)", "2024-06-18", "2024-06-17 22:00"),
        ("TIMESTAMP_LTZ(3)", "2024-06-18T00:00Z", "2024-06-18"),
    ],
)
def test_the_end_of_the_past_is_on_the_clock_of_the_windows(
    tmp_path: Path, kind: str, until: str, expected: str
) -> None:
    columns = LAKE.replace("TIMESTAMP(3)", kind)
    topic = f"{columns}, WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE"
    zone, text = "SET 'table.local-time-zone' = 'Europe/Berlin';", f"'scan.history.until' = '{until}'"
    (source,) = planned(tmp_path, columns, topic, text, settings=zone).sources
    assert source.table.history is not None and source.table.history.until == parse_instant(expected)


def test_another_place_of_the_past_is_a_changed_report(tmp_path: Path) -> None:
    plan = planned(tmp_path)
    moved = planned(tmp_path, lake_options="'connector' = 'filesystem', 'path' = 'lake2', 'format' = 'parquet'")
    assert changes_between(plan, planned(tmp_path)) == []
    (change,) = changes_between(plan, moved)
    assert change.startswith("source orders, history") and "lake2" in change


def test_the_past_keeps_the_order_of_its_columns(tmp_path: Path) -> None:
    (source,) = planned(tmp_path, "more STRING, price INT, ts TIMESTAMP(3), shop INT").sources
    past = as_history(source)
    assert [column.name for column in past.table.physical] == ["more", "price", "ts", "shop"]
    assert set(past.columns) == {"price", "ts"}


def test_an_archive_needs_no_time_and_no_startup_mode(tmp_path: Path) -> None:
    (source,) = planned(tmp_path, until="", startup=None).sources
    assert source.table.history is None and source.table.options["scan.startup.home"] == str(tmp_path / "lake")
    with pytest.raises(InputError, match=r"leave 'scan\.startup\.mode' out"):
        planned(tmp_path, until="", startup="'latest-offset'")
    with pytest.raises(InputError, match=r"no home archives into a table of delta: set 'scan\.history\.until', too"):
        planned(tmp_path, until="", lake_options="'connector' = 'delta', 'table-path' = 'lake'")


def test_a_report_does_not_write_into_its_past(tmp_path: Path) -> None:
    (tmp_path / "counts").mkdir()
    plan = planned(tmp_path, lake_options="'connector' = 'filesystem', 'path' = 'counts', 'format' = 'parquet'")
    with pytest.raises(InputError, match="the report would read its own results"):
        check_places(plan)


def test_a_past_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="correct 'path', or make the directory"):
        check_sources(planned(tmp_path))
