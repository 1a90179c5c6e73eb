"""Options of Flink's formats and of `print` that take effect on what is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.verify.verify import verify
from tests.engine.reports import FEW, HOUR, MORNING, Event, Stream, curve_insert, events_table, plan_of, write_events

TUMBLE = "TUMBLE(INTERVAL '1' HOUR)"
EVENTS = [Event(1, 1, 5, "a'b", None, 0.5, MORNING), Event(2, 1, 6, None, None, 0.5, MORNING + 2 * HOUR)]
SHOWN = {**FEW, "items": ("STRING", "MAX(item)")}


def streamed(spark, place: Path, *statements: str) -> Stream:
    stream = Stream(spark, plan_of(place, events_table(), *statements), place / "home")
    stream.absorb(write_events(place / "events" / "a.csv", EVENTS))
    stream.end()
    return stream


def written(place: Path) -> list[str]:
    files = (place / "curve").glob("curve-*")
    return [line for file in sorted(files) for line in file.read_text().splitlines()]


def test_json_as_iso_8601_without_nulls(spark, tmp_path: Path) -> None:
    options = {"json__timestamp_format__standard": "ISO-8601", "json__encode__ignore_null_fields": "true"}
    insert = curve_insert(TUMBLE, SHOWN, format="json", **options)
    stream = streamed(spark, tmp_path, insert)
    first, second = map(json.loads, written(tmp_path))
    assert (first["window_end"], second["window_end"]) == ("2024-06-18T01:00:00.000", "2024-06-18T03:00:00.000")
    assert ("items" in first, "items" in second, "gmv" in first) == (True, False, False)
    assert verify(spark, stream.plan, stream.home).is_proven


def test_csv_with_another_quote(spark, tmp_path: Path) -> None:
    options = {"csv__quote_character": "''", "csv__field_delimiter": r"\t", "csv__null_literal": "-"}
    stream = streamed(spark, tmp_path, curve_insert(TUMBLE, SHOWN, format="csv", **options))
    assert written(tmp_path)[0].split("\t")[-3:] == ["1", "-", "'a''b'"]
    assert [published.rows for entry in stream.entries for published in entry.published] == [1, 1]
    assert verify(spark, stream.plan, stream.home).is_proven


TOLD = "CREATE TABLE told ({}) WITH ('connector' = 'print', {}); INSERT INTO told SELECT item, id FROM events;"


@pytest.mark.parametrize("stream", ["out", "err"])
def test_print_names_itself(spark, tmp_path: Path, capfd, stream: str) -> None:
    error = str(stream == "err").lower()
    options = f"'print-identifier' = 'it''s me', 'standard-error' = '{error}'"
    capfd.readouterr()
    streamed(spark, tmp_path, TOLD.format("item STRING, id BIGINT", options))
    printed = getattr(capfd.readouterr(), stream).splitlines()
    assert [line for line in printed if "+I" in line] == ["it's me> +I[a'b, 1]", "it's me> +I[null, 2]"]


@pytest.mark.parametrize("enforcer", ["ERROR", "DROP"])
def test_a_null_for_a_column_that_is_not_null(spark, tmp_path: Path, capfd, enforcer: str) -> None:
    setting = f"SET 'table.exec.sink.not-null-enforcer' = '{enforcer}';"
    told = setting + TOLD.format("item STRING NOT NULL, id BIGINT", "'print-identifier' = 'x'")
    capfd.readouterr()
    if enforcer == "DROP":
        streamed(spark, tmp_path, told)
        assert [line for line in capfd.readouterr().out.splitlines() if "+I" in line] == ["x> +I[a'b, 1]"]
        return
    with pytest.raises(Exception) as failure:
        streamed(spark, tmp_path, told)
    assert "column 'item' of table 'told' is NOT NULL" in str(explained(failure.value))
