"""Connector `print`: Flink's lines on standard output, each once though publishing is repeated."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

from airflow_nrt.engine.publish.publishing import publish_entry
from airflow_nrt.engine.sinks.standard_output import Print
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Entry, Position, Published, Tick
from tests import sample
from tests.engine.no_spark import NO_SPARK
from tests.engine.reports import FEW, HOUR, MORNING, Event, Stream, curve_insert, events_table, plan_of, write_events


def test_prints_rows_as_flink_does(spark, tmp_path: Path, capfd) -> None:
    insert = curve_insert("TUMBLE(INTERVAL '1' HOUR)", FEW)
    start = insert.index("WITH (")
    insert = insert[:start] + "WITH ('connector' = 'print')" + insert[insert.index(";", start) :]
    plan = plan_of(tmp_path, events_table(), insert)
    stream = Stream(spark, plan, tmp_path / "home")
    events = [Event(1, 1, 5, "a", None, 0.5, MORNING), Event(2, 1, 6, "a", None, 0.5, MORNING + 2 * HOUR)]
    capfd.readouterr()
    stream.absorb(write_events(tmp_path / "events" / "a.csv", events))
    assert printed(capfd) == ["+I[1, 2024-06-18 00:00:00, 2024-06-18 01:00:00, 1, 1, null]"]
    stream.end()
    assert printed(capfd) == ["+I[1, 2024-06-18 02:00:00, 2024-06-18 03:00:00, 1, 1, null]"]
    for entry in stream.entries:
        publish_entry(spark, stream.home, plan, entry)
    assert printed(capfd) == []
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and "can't be read back" in verdict.notes[0]


def printed(capfd) -> list[str]:
    return [line for line in capfd.readouterr().out.splitlines() if line[:2] in ("+I", "-U", "+U", "-D")]


def test_prints_what_happens_to_rows_that_change(spark, tmp_path: Path, capfd) -> None:
    told = "CREATE TABLE told (n BIGINT, users BIGINT) WITH ('connector' = 'print');"
    query = "SELECT n, COUNT(*) FROM (SELECT user_id, COUNT(*) AS n FROM events GROUP BY user_id) GROUP BY n"
    plan = plan_of(tmp_path, events_table(), told, f"INSERT INTO told {query};")
    stream = Stream(spark, plan, tmp_path / "home")
    batches = [[Event(1, 1, 5, "a", None, 0.5, MORNING), Event(2, 1, 6, "a", None, 0.5, MORNING)]]
    batches += [[Event(3, 1, 5, "a", None, 0.5, MORNING)], [Event(4, 1, 6, "a", None, 0.5, MORNING)]]
    capfd.readouterr()
    stream.absorb_batches(tmp_path, batches[:1])
    assert printed(capfd) == ["+I[1, 2]"]
    stream.absorb_batches(tmp_path, batches[1:2])
    assert sorted(printed(capfd)) == ["+I[2, 1]", "+U[1, 1]", "-U[1, 2]"]
    stream.absorb_batches(tmp_path, batches[2:])
    assert sorted(printed(capfd)) == ["+U[2, 2]", "-D[1, 1]", "-U[2, 1]"]
    for entry in stream.entries:
        publish_entry(spark, stream.home, plan, entry)
    assert printed(capfd) == []


def test_an_output_that_takes_texts_alone_has_the_rows_too(tmp_path: Path) -> None:
    printed = sample.CURVE.replace("'filesystem', 'path' = 'curve', 'format' = 'json'", "'print'")
    insert = sample.plan_of(sample.ORDERS + printed + sample.INSERT).inserts[0]
    (tmp_path / "rows.txt").write_text("+I[ä, 3]\n")
    published = Published(insert.name, None, None, "complete", 1, "", "rows.txt", "")
    entry = Entry(0, "tick", 1, 0, "", Tick((published,), 0, Position()))
    with contextlib.redirect_stdout(io.StringIO()) as notebook:
        Print().publish(NO_SPARK, Home(tmp_path), insert, entry, [published])
    assert notebook.getvalue() == "+I[ä, 3]\n"
    assert not (tmp_path / "rows.txt").exists()
