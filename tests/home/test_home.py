"""A home serves one report with one meaning."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import HomeError, InputError
from airflow_nrt.home.home import Home
from airflow_nrt.home.identity.fingerprint import differences, fingerprint
from airflow_nrt.home.log.log import Log
from tests.sample import CURVE, INSERT, ORDERS, REPORT, plan_of


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.create(tmp_path / "home", plan_of())


def test_made_once_and_found_again(home: Home) -> None:
    identity = home.identity()
    assert (identity.name, identity.script) == ("curve", REPORT)
    assert Home.create(home.path, plan_of()).identity() == identity
    assert Home.open(f"file://{home.path}").identity() == identity
    assert home.log().last == -1


def test_no_home(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is no home of a report: it has no report\.json"):
        Home.open(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("location", ["s3://bucket/home", "hdfs://name/home", "gs://bucket/home"])
def test_a_file_system_that_cannot_hold_a_home_is_refused_by_name(location: str) -> None:
    with pytest.raises(InputError, match=location.partition(":")[0] + r":// yet: put it on a POSIX file system"):
        Home.create(location, plan_of())


def test_a_directory_with_other_things_in_it(tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").touch()
    with pytest.raises(InputError, match="is not empty and no home of a report: choose another directory"):
        Home.create(tmp_path, plan_of())
    assert [file.name for file in tmp_path.iterdir()] == ["photo.jpg"]


def test_a_home_that_was_half_made_is_finished(home: Home) -> None:
    home.report_file.local.unlink()
    assert Home.create(home.path, plan_of()).identity().name == "curve"


def test_a_home_that_somebody_is_making_or_died_making(tmp_path: Path) -> None:
    (tmp_path / ".report.json.0123").touch()
    assert Home.create(tmp_path, plan_of()).identity().name == "curve"


def test_all_who_make_a_home_at_once_get_the_same(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: Home.create(tmp_path / "home", plan_of()).identity().id, range(8)))
    assert len(set(made)) == 1


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(HomeError, match="can't make the home"):
        Home.create(tmp_path / "file" / "home", plan_of())


def test_the_home_of_another_report(home: Home) -> None:
    with pytest.raises(InputError) as wrong:
        Home.create(home.path, plan_of(name="other"))
    assert str(wrong.value) == (
        f"{home.path} is the home of the report 'curve', not of 'other': give each report its own home"
    )


@pytest.mark.parametrize("content", [b"", b"garbage", b"\xff", b"[]", b'"home"', b"{}", b'{"name": "curve"}'])
def test_an_unreadable_home(home: Home, content: bytes) -> None:
    home.report_file.local.write_bytes(content)
    for attempt in (lambda: Home.open(home.path), lambda: Home.create(home.path, plan_of())):
        with pytest.raises(HomeError, match=f"the home {home.path} can't be read"):
            attempt()
    assert home.report_file.local.read_bytes() == content


def test_a_home_without_its_log(home: Home) -> None:
    home.log_directory.local.rmdir()
    with pytest.raises(HomeError, match="has no log directory"):
        home.log()


# ---------------------------------------------------------------------------------------------------- facts

CHANGES = {
    "a longer watermark": (
        ORDERS.replace("'5' MINUTES", "'6' MINUTES"),
        "source orders, watermark for ts was: ts - INTERVAL '5' MINUTES; now: ts - INTERVAL '6' MINUTES",
    ),
    "another window": (
        INSERT.replace("'1' HOUR", "'2' HOUR"),
        "insert into curve, FROM was: CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE, INTERVAL '1' HOUR); "
        "now: CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE, INTERVAL '2' HOUR)",
    ),
    "another aggregate": (
        INSERT.replace("COUNT(*)", "COUNT(DISTINCT id)"),
        "insert into curve, SELECT 4 was: COUNT(*); now: COUNT(DISTINCT id)",
    ),
    "another type": (
        ORDERS.replace("DECIMAL(10, 2)", "DECIMAL(12, 2)"),
        "source orders, column price was: DECIMAL(10, 2); now: DECIMAL(12, 2)",
    ),
    "another directory": (
        CURVE.replace("'path' = 'curve'", "'path' = 'curve2'"),
        "insert into curve, option path was: /data/curve; now: /data/curve2",
    ),
    "a new format option": (
        ORDERS.replace("'format' = 'csv'", "'format' = 'csv', 'csv.field-delimiter' = ';'"),
        "source orders, option csv.field-delimiter is new: ;",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_changed_data_semantics(home: Home, change: str) -> None:
    changed, message = CHANGES[change]
    parts = {"CREATE TABLE orders": ORDERS, "CREATE TABLE curve": CURVE, "INSERT": INSERT}
    script = "".join(changed if changed.startswith(start) else part for start, part in parts.items())
    before = home.report_file.local.read_bytes()
    with pytest.raises(InputError) as wrong:
        Home.create(home.path, plan_of(script))
    text = str(wrong.value)
    assert text.startswith(f"the report 'curve' computes something else than when its home {home.path} was made:\n")
    assert f"  - {message}\n" in text
    given_up = f"give up this home, which has read nothing yet (`airflow-nrt forget --home {home.path} --yes`)"
    assert text.endswith(f"Ways out: {given_up}, or undo the change.")
    assert home.report_file.local.read_bytes() == before


@pytest.mark.parametrize(
    "script",
    [
        REPORT.replace("'format' = 'csv'", "'format' = 'csv', 'scan.watermark.idle-timeout' = '1 min'"),
        REPORT.replace("'format' = 'csv'", "'format' = 'csv', 'source.ignore-corrupt' = 'true'"),
        "-- a comment\n" + REPORT.replace("\n", "\n  "),
        "SET 'parallelism.default' = '4';\n" + REPORT,
    ],
)
def test_what_changes_no_result_may_change(home: Home, script: str) -> None:
    Home.create(home.path, plan_of(script))


def test_an_interval_may_change_but_not_come_or_go(tmp_path: Path) -> None:
    """Only an unbounded source rejects rows from the future."""
    every = "'format' = 'csv', 'source.monitor-interval' = '{}'"
    home = Home.create(tmp_path / "home", plan_of(REPORT.replace("'format' = 'csv'", every.format("1 s"))))
    Home.create(home.path, plan_of(REPORT.replace("'format' = 'csv'", every.format("2 s"))))
    with pytest.raises(InputError, match=r"option source\.monitor-interval is gone"):
        Home.create(home.path, plan_of(REPORT))


def test_changes_are_sentences() -> None:
    assert differences({"a": "1", "b": "2"}, {"b": "3", "c": "4"}) == [
        "a is gone (it was: 1)",
        "b was: 2; now: 3",
        "c is new: 4",
    ]
    facts = fingerprint(plan_of())
    assert differences(facts, json.loads(json.dumps(facts))) == []


# ---------------------------------------------------------------------------------------------------- stopping


def test_a_stop_request_is_for_the_driver_of_its_time(home: Home) -> None:
    assert not home.is_stop_asked(1)
    assert home.ask_to_stop() == 0
    home.stop_file.local.write_text('{"epoch": 2}')
    assert [home.is_stop_asked(epoch) for epoch in (1, 2, 3)] == [True, True, False]
    home.drop_stop_request(2)
    assert home.is_stop_asked(2)
    home.drop_stop_request(3)
    assert not home.stop_file.exists()


@pytest.mark.parametrize("content", ["", "[]", "{}", "now"])
def test_an_unreadable_stop_request_is_an_error(home: Home, content: str) -> None:
    home.stop_file.local.write_text(content)
    with pytest.raises(HomeError, match=r"the stop request .* can't be read"):
        home.is_stop_asked(1)


def test_the_log_of_a_home(home: Home) -> None:
    assert isinstance(home.log(), Log)


@pytest.mark.parametrize(
    "content",
    ['{"id": "x", "name": "r"}', '{"id": "x", "name": "r", "facts": []}', '{"format": 2, "id": "x", "name": "r"}'],
)
def test_a_damaged_report_file(home: Home, content: str) -> None:
    home.report_file.local.write_text(content)
    with pytest.raises(HomeError, match=r"report\.json"):
        Home.create(home.path, plan_of())
