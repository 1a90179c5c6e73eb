"""Logs whose old entries are to go: random ones, with all that their drivers note."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.identity.identity import Identity
from airflow_nrt.home.kept import Keep
from airflow_nrt.home.log.entries import (
    Body,
    Commit,
    Entry,
    Lease,
    OperatorState,
    Position,
    Published,
    SourceState,
    StateFile,
    Tick,
)
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.home.log.fold.checkpoints import write_checkpoints
from airflow_nrt.home.log.fold.settled import note_settled
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.log.splits import SourceFile
from airflow_nrt.home.retention.retention import Retention
from airflow_nrt.model.plan import Plan

NOTHING = Keep(0, 1000)
"""Keeps no entry longer than it must."""
LEASE = Lease("host", 1, "application")


class LongHome:
    """A home with a driver, and `all` the entries that were ever written."""

    def __init__(self, place: Path, seed: int = 0) -> None:
        self.home = Home(place / "home")
        self.home.log_directory.local.mkdir(parents=True)
        self.home.staged.local.mkdir()
        self.home.ledger.local.mkdir()
        self.chance = random.Random(seed)
        self.all: list[Entry] = []
        self.begin()

    def of(self, plan: Plan) -> LongHome:
        """It is the home of this report."""
        for place in (self.home.launches, self.home.heartbeats, self.home.notes):
            place.make()
        self.home.report_file.put_if_absent(Identity.of(plan, self.home.launches.local).to_bytes())
        return self

    @property
    def log(self) -> Log:
        return self.writer.log

    def begin(self) -> None:
        self.writer = Writer.begin(self.home.log(), LEASE)
        self.all.append(self.log.read(self.log.last))

    def append(self, body: Body) -> None:
        self.all.append(self.writer.append(body))

    def append_and_give(self, body: Body) -> Entry:
        self.append(body)
        return self.all[-1]

    def restate(self, body: Body) -> None:
        self.all.append(Log(self.home.log_directory).append(body, None))

    def grow(self, entries: int) -> None:
        """As a driver writes them; it keeps up with checkpoints and with what is settled."""
        for _ in range(entries):
            n = self.log.last + 1
            self.append(next(self._bodies(n)))
        self.keep_up()

    def keep_up(self) -> None:
        self.log.refresh()
        write_checkpoints(self.log)
        note_settled(self.log)

    def _bodies(self, n: int) -> Iterator[Body]:
        state = OperatorState(n, n, (StateFile(f"state/w1/{n}", n, n + 5, 1),))
        position = Position({"orders": SourceState(n, files=n + 1)}, {"w1": state}, windows=n)
        if self.chance.random() < 0.7:
            ledger = f"ledger/1-{n}"
            (self.home.path / ledger).mkdir()
            (self.home.path / ledger / "late.json").write_text("{}")
            yield Commit("orders", (SourceFile(f"/d/{n}", n, n),), 1, n, {}, {}, (), ledger, (), position)
        published = Published("sales", n - 1, n, "complete", 1, "0", f"staged/1-{n}/f", f"{n}.csv")
        yield Tick((published,), n, position, (f"sales/{n - 9}.csv",) if n > 9 else ())

    def retention(self, keep: Keep = NOTHING) -> Retention:
        return Retention(self.home, keep, clock=lambda: now_ms() + 1)

    def retain(self) -> Log:
        """Removes what can go, as another process would, and gives its log."""
        log, retention = self.home.log(), self.retention()
        while retention.step(log):
            pass
        return log

    def names(self) -> set[str]:
        return {path.name for path in self.home.log_directory.local.iterdir()}

    def ledgers(self) -> set[str]:
        return {path.name for path in self.home.ledger.local.iterdir()}
