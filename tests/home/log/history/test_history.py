"""The log as history: what stands published, and claims that contradict the log itself."""

from __future__ import annotations

from airflow_nrt.home.log.entries import (
    Body,
    Commit,
    Entry,
    Lateness,
    Lease,
    OperatorState,
    Position,
    Published,
    Restate,
    SourceState,
    Tick,
    entry_kind,
)
from airflow_nrt.home.log.history.history import History, read_history
from airflow_nrt.home.log.splits import SourceFile
from tests.sample import plan_of


def position(watermark: int | None, of_operator: int | None = None) -> Position:
    stands = watermark if of_operator is None else of_operator
    return Position({"orders": SourceState(watermark)}, {"w1": OperatorState(stands)})


def commit(seen: int | None, after: Position, *published: Published, path: str = "f") -> Commit:
    late = (Lateness("w1", 2, 1),)
    return Commit("orders", (SourceFile(path, 1, 1),), 1, 0, {"w1": seen}, {}, late, None, published, after)


def window(end: int, state: str = "complete", checksum: str = "c") -> Published:
    return Published("curve", 0, end, state, 1, checksum, "staged", f"{end}.json")


def history_of(*bodies: Body) -> History:
    entries = [Entry(n, entry_kind(body), 1, 1000 + n, "", body) for n, body in enumerate(bodies)]
    return read_history(entries, plan_of())


def test_an_honest_log() -> None:
    history = history_of(
        Lease("h", 1, "a"),
        commit(None, position(10), path="a"),
        commit(10, position(20), window(10), path="b"),
        Tick((window(20),), 0, position(20)),
    )
    assert history.problems == []
    assert history.entry == 3
    assert [split.name for split in history.splits("orders")] == ["a", "b"]
    assert history.batch_of("orders") == {"a": 1, "b": 2}
    assert history.late_claimed("w1") == 4
    assert list(history.published) == [("curve", "10.json"), ("curve", "20.json")]


def test_a_restatement_replaces_and_removes() -> None:
    repaired = window(10, "restated", "new")
    history = history_of(
        commit(None, position(20), window(10), window(20)),
        Restate((repaired,), ("curve/20.json",), "repair", {}, 0),
    )
    assert history.published == {("curve", "10.json"): repaired}
    assert history.times == {("curve", "10.json"): 1001, ("curve", "20.json"): 1000}
    assert history.restated == 1


def test_a_batch_that_judged_by_another_watermark() -> None:
    history = history_of(commit(None, position(10)), commit(30, position(20)))
    assert history.problems == [
        "log entry 1: operator w1 judged lateness by watermark 1970-01-01 00:00:00.030, "
        "it stood at 1970-01-01 00:00:00.010"
    ]


def test_a_watermark_that_does_not_follow_from_the_sources() -> None:
    history = history_of(commit(None, position(10, of_operator=99)))
    assert history.problems == [
        "log entry 0: operator w1 stands at watermark 1970-01-01 00:00:00.099, "
        "but its sources make it 1970-01-01 00:00:00.010"
    ]


def test_what_the_stream_publishes_again_is_of_no_restatement() -> None:
    """It has the rows of its own entry, and not those up to the entry that a backfill had read."""
    restated = Restate((window(10, "restated", "new"),), (), "backfill", {}, 0, dimensions={"shops": "3"})
    before = (commit(None, position(20), window(10)), restated)
    assert history_of(*before).as_of == {("curve", "10.json"): 0}
    assert history_of(*before).joined_with == {("curve", "10.json"): {"shops": "3"}}
    history = history_of(*before, commit(20, position(30), window(10, "late"), path="b"))
    assert history.as_of == history.joined_with == {}
