"""Results that never complete, told every three minutes of processing time, or after so many rows."""

from __future__ import annotations

from pathlib import Path

from tests.engine.reports import MINUTE, MORNING, Event, Stream, events_table, plan_of, write_events
from tests.engine.sinks.test_standard_output import printed

TOLD = "CREATE TABLE told (shop INT, n BIGINT) WITH ('connector' = 'print', 'update-rate' = '{rate}');"
INSERT = "INSERT INTO told SELECT shop, COUNT(*) FROM events GROUP BY shop HAVING COUNT(*) < 4;"


class Live:
    """A stream of one file a batch, with a clock that the test sets (minutes)."""

    def __init__(self, spark, place: Path, rate: str) -> None:
        self.spark, self.place = spark, place
        self.plan = plan_of(place, events_table(), TOLD.format(rate=rate), INSERT)
        self.minute = 0
        self.files = 0
        self.restart()

    def restart(self) -> None:
        self.stream = Stream(self.spark, self.plan, self.place / "home", lambda: MORNING + self.minute * MINUTE)

    def absorb(self, *shops: int) -> None:
        events = [Event(n, shop, 1, "a", None, None, MORNING) for n, shop in enumerate(shops)]
        self.stream.absorb(write_events(self.place / "events" / f"{self.files}.csv", events))
        self.files += 1


def test_changes_wait_for_their_time(spark, tmp_path: Path, capfd) -> None:
    live = Live(spark, tmp_path, "3 min")
    capfd.readouterr()
    live.absorb(1, 3)
    live.minute = 2
    live.absorb(1, 2, 3, 3, 3)
    assert printed(capfd) == []
    live.restart()
    live.minute = 3
    live.stream.driver.pass_time()
    # The row of shop 3 came and went.
    assert sorted(printed(capfd)) == ["+I[1, 2]", "+I[2, 1]"]
    live.stream.driver.pass_time()
    live.minute = 5
    live.absorb(1)
    live.absorb(2, 2, 2)
    assert printed(capfd) == []
    live.stream.end()
    assert sorted(printed(capfd)) == ["+U[1, 3]", "-D[2, 1]", "-U[1, 2]"]
    assert not live.stream.driver.position.versions["told"].shown


def test_changes_wait_for_rows(spark, tmp_path: Path, capfd) -> None:
    live = Live(spark, tmp_path, "count(3)")
    capfd.readouterr()
    live.absorb(1)
    live.absorb(1)
    assert printed(capfd) == []
    live.absorb(2)
    assert sorted(printed(capfd)) == ["+I[1, 2]", "+I[2, 1]"]
