"""Lines that are no rows: rejected and counted, or the driver stops; never a row of NULLs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.errors import PySparkException

from airflow_nrt.basics.errors import DataError
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.ledger import REJECTED, records
from tests.engine.reports import (
    FEW,
    HOUR,
    MINUTE,
    MORNING,
    Stream,
    clock,
    curve_insert,
    events_table,
    plan_of,
    random_events,
    rows_of,
    write_lines,
)

TUMBLE = "TUMBLE(INTERVAL '1' HOUR)"
GOOD = "1,1,5,a,10.00,0.5,2024-06-18 00:01:00"
BAD_CSV = (
    "2,1,5,a,10.00,0.5",  # a field is missing
    "3,1,5,a,10.00,0.5,2024-06-18 00:02:00,more",
    "4,1,five,a,10.00,0.5,2024-06-18 00:02:00",
    "5,1,5,a,ten,0.5,2024-06-18 00:02:00",
    "6,1,5,a,10.00,0.5,tomorrow",
    "7,,5,a,10.00,0.5,2024-06-18 00:02:00",  # empty is no INT, and not the null literal
    '8,1,5,"a,10.00,0.5,2024-06-18 00:02:00',  # the quote is never closed
)
NULL_ROWTIME = "9,1,5,a,10.00,0.5,NULL"


def streamed(spark, place: Path, lines, file_format: str = "csv", **options: str) -> Stream:
    table = events_table(format=file_format, **options)
    if file_format != "csv":
        table = table.replace(", 'csv.null-literal' = 'NULL'", "")
    plan = plan_of(place, table, curve_insert(TUMBLE, FEW))
    stream = Stream(spark, plan, place / "home")
    stream.absorb(write_lines(place / "events" / f"a.{file_format}", lines))
    stream.end()
    return stream


def rejections(stream: Stream) -> list[dict[str, str]]:
    return [record for path in stream.home.ledger.below() for record in records(path / REJECTED)]


def reasons(stream: Stream) -> list[tuple[str, str]]:
    return sorted((record["reason"], record["line"]) for record in rejections(stream))


def faults(stream: Stream) -> list[tuple[str, str | None, str]]:
    """Of what was rejected the reason, the column, and the first character of the line."""
    return sorted((one["reason"], one.get("column", ""), one["line"][:1]) for one in rejections(stream))


def failure(spark, place: Path, lines, file_format: str = "csv", **options: str) -> str:
    with pytest.raises(PySparkException) as raised:
        streamed(spark, place, lines, file_format, **options)
    meant = explained(raised.value)
    assert isinstance(meant, DataError)
    assert not rows_of(place / "curve")
    return str(meant)


def test_csv_rejected(spark, tmp_path: Path) -> None:
    """A field that is no value becomes NULL and its row stays, also where a line is short; what is no line goes."""
    stream = streamed(spark, tmp_path, [GOOD, *BAD_CSV], csv__ignore_parse_errors="true", scan__null_rowtime="skip")
    assert faults(stream) == [
        ("NULL rowtime", "ts", "2"),
        ("NULL rowtime", "ts", "6"),
        ("malformed field", "price", "5"),
        ("malformed field", "shop", "7"),
        ("malformed field", "user_id", "4"),
        ("malformed line", "", "3"),
        ("malformed line", "", "8"),
    ]
    state = stream.driver.position.sources["events"]
    assert (state.rows, state.rejected, state.null_fields) == (8, 4, 3)
    assert [(row[0], *row[3:]) for row in rows_of(tmp_path / "curve")] == [(None, 1, 1, 10), (1, 3, 1, 20)]
    assert verify(spark, stream.plan, stream.home).is_proven


def test_a_malformed_rowtime_is_none(spark, tmp_path: Path) -> None:
    """What becomes of it is the matter of 'scan.null-rowtime', which stops here."""
    text = failure(spark, tmp_path, [GOOD, BAD_CSV[4]], csv__ignore_parse_errors="true")
    assert "RowTime field should not be null: a row of table events has none: column ts: 'tomorrow' is no" in text
    assert "'scan.null-rowtime' = 'skip'" in text


def test_several_fields_of_a_row(spark, tmp_path: Path) -> None:
    line = "1,one,five,a,10.00,0.5,2024-06-18 00:01:00"
    stream = streamed(spark, tmp_path, [line], csv__ignore_parse_errors="true")
    assert faults(stream) == [("malformed field", "shop", "1"), ("malformed field", "user_id", "1")]
    assert {one["file"] for one in rejections(stream)} == {str(tmp_path / "events" / "a.csv")}


@pytest.mark.parametrize("bad", BAD_CSV)
def test_csv_stops(spark, tmp_path: Path, bad: str) -> None:
    text = failure(spark, tmp_path, [GOOD, bad])
    assert "malformed line in table events" in text and "'csv.ignore-parse-errors' = 'true'" in text
    assert bad in text and "a.csv" in text


def test_null_rowtime(spark, tmp_path: Path) -> None:
    text = failure(spark, tmp_path / "fail", [GOOD, NULL_ROWTIME])
    assert "RowTime field should not be null" in text and "'scan.null-rowtime' = 'skip'" in text
    stream = streamed(spark, tmp_path / "skip", [GOOD, NULL_ROWTIME], scan__null_rowtime="skip")
    assert reasons(stream) == [("NULL rowtime", NULL_ROWTIME)]
    assert [row[3:] for row in rows_of(tmp_path / "skip" / "curve")] == [(1, 1, 10)]


def test_quoted_fields_and_nulls(spark, tmp_path: Path) -> None:
    lines = [
        '1,1,5,"a,b",10.00,0.5,2024-06-18 00:01:00',
        '2,1,NULL,"say ""yes""",NULL,NULL,2024-06-18 00:02:00',
        "3,1,6,,0.00,0.5,2024-06-18 00:03:00",
    ]
    aggregates = {**FEW, "items": ("BIGINT", "COUNT(DISTINCT item)"), "last": ("STRING", "MAX(item)")}
    plan = plan_of(tmp_path, events_table(), curve_insert(TUMBLE, aggregates))
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(write_lines(tmp_path / "events" / "a.csv", lines))
    stream.end()
    assert [row[3:] for row in rows_of(tmp_path / "curve")] == [(3, 2, 10, 3, 'say "yes"')]


def as_json(**changed: object) -> str:
    row = {"id": 1, "shop": 1, "user_id": 5, "item": "a", "price": 10.0, "weight": 0.5, "ts": clock(MORNING + MINUTE)}
    return json.dumps({name: value for name, value in {**row, **changed}.items() if value is not ...})


BAD_JSON = ("not json", "[1]", as_json()[:-5], as_json(user_id="five"), as_json(ts="tomorrow"))


def test_json_rejected(spark, tmp_path: Path) -> None:
    fine = [as_json(), as_json(user_id=..., price=None), as_json(unknown={"more": 1})]
    ignore = {"json__ignore_parse_errors": "true", "scan__null_rowtime": "skip"}
    stream = streamed(spark, tmp_path, [*fine, *BAD_JSON], "json", **ignore)
    assert faults(stream) == [
        ("NULL rowtime", "ts", "{"),
        ("malformed field", "user_id", "{"),
        ("malformed line", "", "["),
        ("malformed line", "", "n"),
        ("malformed line", "", "{"),
    ]
    assert [row[3:] for row in rows_of(tmp_path / "curve")] == [(4, 1, 30)]


@pytest.mark.parametrize("bad", BAD_JSON)
def test_json_stops(spark, tmp_path: Path, bad: str) -> None:
    text = failure(spark, tmp_path, [as_json(), bad], "json")
    assert "'json.ignore-parse-errors' = 'true'" in text and bad in text


def test_json_without_rowtime(spark, tmp_path: Path) -> None:
    stream = streamed(spark, tmp_path, [as_json(), as_json(ts=...)], "json", scan__null_rowtime="skip")
    assert [reason for reason, _ in reasons(stream)] == ["NULL rowtime"]


def test_a_batch_of_nothing_but_rejects(spark, tmp_path: Path) -> None:
    timeless = [line for line in BAD_CSV if line[0] in "2368"]
    ignore = {"csv__ignore_parse_errors": "true", "scan__null_rowtime": "skip"}
    stream = streamed(spark, tmp_path, timeless, **ignore)
    assert stream.driver.position.sources["events"].watermark is None
    assert rows_of(tmp_path / "curve") == []
    assert verify(spark, stream.plan, stream.home).is_proven


def test_empty_files_and_empty_lines(spark, tmp_path: Path) -> None:
    plan = plan_of(tmp_path, events_table(), curve_insert(TUMBLE, FEW))
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(write_lines(tmp_path / "events" / "a.csv", []))
    stream.absorb(write_lines(tmp_path / "events" / "b.csv", ["", GOOD, ""]))
    stream.end()
    assert [row[3:] for row in rows_of(tmp_path / "curve")] == [(1, 1, 10)]
    assert verify(spark, plan, stream.home).is_proven


def test_names_that_need_quoting(spark, tmp_path: Path) -> None:
    """Spark takes paths for patterns and URIs; a file is found whatever its name."""
    place = tmp_path / "we ird[x]{y},ü%20&+?*"
    plan = plan_of(place, events_table(), curve_insert(TUMBLE, FEW))
    stream = Stream(spark, plan, place / "home")
    events = random_events(1, 30, HOUR)
    stream.absorb(write_lines(place / "events" / "a b%41[1].csv", (event.line for event in events)))
    late = [event.line for event in random_events(2, 2, MINUTE)]
    stream.absorb(write_lines(place / "events" / "ö.csv", [random_events(3, 1, HOUR, MORNING + 5 * HOUR)[0].line]))
    stream.absorb(write_lines(place / "events" / "{late}*?.csv", late))
    assert stream.driver.position.dropped == 2
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and verdict.late_rows == 2


@pytest.mark.parametrize("file_format", ["csv", "json"])
def test_a_column_named_value(spark, tmp_path: Path, file_format: str) -> None:
    """So Spark names the lines of a text by itself."""
    table = events_table(format=file_format).replace("user_id INT", "`value` INT")
    if file_format == "json":
        table = table.replace(", 'csv.null-literal' = 'NULL'", "")
    total = {"total": ("INT", "SUM(`value`)")}
    stream = Stream(spark, plan_of(tmp_path, table, curve_insert(TUMBLE, total)), tmp_path / "home")
    line = GOOD if file_format == "csv" else json.dumps({"shop": 1, "value": 5, "ts": "2024-06-18 00:01:00"})
    stream.absorb(write_lines(tmp_path / "events" / f"a.{file_format}", [line]))
    stream.end()
    assert [row[3] for row in rows_of(tmp_path / "curve")] == [5]


def test_an_instant_needs_its_zone(spark, tmp_path: Path) -> None:
    """As in Flink's csv: a time without `Z` is no instant."""
    ignore = {"csv__ignore_parse_errors": "true", "scan__null_rowtime": "skip"}
    table = events_table(**ignore).replace("ts TIMESTAMP(3)", "ts TIMESTAMP_LTZ(3)")
    stream = Stream(spark, plan_of(tmp_path, table, curve_insert(TUMBLE, FEW)), tmp_path / "home")
    stream.absorb(write_lines(tmp_path / "events" / "a.csv", [GOOD, f"{GOOD}.5Z"]))
    stream.end()
    assert reasons(stream) == [("NULL rowtime", GOOD)]
    assert [row[3] for row in rows_of(tmp_path / "curve")] == [1]
