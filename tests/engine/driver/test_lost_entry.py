"""The last log entry is lost: the next driver decides the same again, and readers see nothing of it."""

from __future__ import annotations

from pathlib import Path

from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.log.entries import Position
from tests.engine.conftest import Streamed
from tests.engine.reports import MINUTE, Stream, random_events, rows_of, write_events


def lose_last(streamed: Streamed, kind: str) -> Position:
    """Deletes the last entry; gives the position that it led to."""
    log = streamed.home.log()
    assert log.read(log.last).kind == kind
    position = log.position()
    (streamed.home.log_directory.local / f"{log.last}.json").unlink()
    return position


def settled(position: Position) -> list[object]:
    """A position without the names of state files."""
    state = [
        (
            name,
            one.watermark,
            one.fired,
            sorted((file.first, file.last, file.rows) for file in (*one.rows, *one.closed)),
        )
        for name, one in position.operators.items()
    ]
    return [state, position.sources, position.late, position.dropped, position.windows]


def test_a_firing_is_lost(spark, streamed: Streamed) -> None:
    """Its windows stand in the sink: the same windows are put in their place."""
    rows = rows_of(streamed.sink)
    lost = lose_last(streamed, "tick")
    stream = Stream(spark, streamed.plan, streamed.home.path)
    assert settled(stream.driver.position) == settled(lost)
    assert rows_of(streamed.sink) == rows
    assert verify(spark, streamed.plan, streamed.home).is_proven


def test_a_batch_is_lost(spark, streamed: Streamed) -> None:
    """Its file has not been read then, and is read again."""
    file = absorb_without_firing(spark, streamed)
    rows = rows_of(streamed.sink)
    lost = lose_last(streamed, "commit")
    stream = Stream(spark, streamed.plan, streamed.home.path)
    assert settled(stream.driver.position) != settled(lost)
    stream.absorb(file)
    assert settled(stream.driver.position) == settled(lost)
    assert rows_of(streamed.sink) == rows
    assert verify(spark, streamed.plan, streamed.home).is_proven


def absorb_without_firing(spark, streamed: Streamed) -> Path:
    """One more batch, of rows from the first minutes of the morning, all of them late."""
    file = write_events(streamed.place / "events" / "more.csv", random_events(8, 5, MINUTE))
    Stream(spark, streamed.plan, streamed.home.path).absorb(file)
    return file
