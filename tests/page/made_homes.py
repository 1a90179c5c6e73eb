"""Homes with days of windows, written with the product's own classes, without Spark and without results in sinks.

A curve of orders by shop, every ten minutes since midnight, as `dags/reports/orders_curve.sql` gives it.
"""

from __future__ import annotations

import json
import math
import random
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from airflow_nrt.basics.instants import format_instant
from airflow_nrt.describe.table_history import TableCommit, changed
from airflow_nrt.describe.verdict import BadWindow, InsertVerdict, Verdict
from airflow_nrt.files.process_start import ProcessStart
from airflow_nrt.home.heartbeat import RUNNING, Heartbeat, now_ms, write_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.ledger import LATE_PREFIX
from airflow_nrt.home.log.chapters import CHAPTER, KEPT, chapter_of
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
    StateFile,
    Tick,
    entry_kind,
)
from airflow_nrt.home.log.splits import SourceFile
from airflow_nrt.home.notes.samples import Sample, SampledRow, write_samples
from airflow_nrt.home.notes.tasks import BACKFILL, STREAM, VERIFY, TaskOfHome, note_task
from airflow_nrt.home.notes.verdicts import keep_verdict
from airflow_nrt.model.options.known import TIME_ZONE
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.zones import wall_clock
from airflow_nrt.sql.load import load_report

REPORT = Path(__file__).parents[2] / "dags" / "reports" / "orders_curve.sql"
INSERT, OPERATOR, SOURCE = "orders_curve", "operator0", "orders"
MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
STEP = 10 * MINUTE
KEYS, MEASURES = ("shop_id",), ("buyers", "orders", "gmv")


def plan_of_homes(place: Path) -> Plan:
    """The report of all these homes; planning it takes a while, so it is planned once."""
    return load_report(REPORT, {"DATA": str(place)})


@dataclass
class Made:
    """A home that is being written. `until` is the end of its newest window (ms of its clock)."""

    home: Home
    until: int
    shops: int = 8
    seed: int = 1
    entries: list[Entry] = field(default_factory=list)
    position: Position = field(default_factory=Position)
    epoch: int = 0

    @cached_property
    def ahead(self) -> int:
        """The report's clock minus UTC (ms); its zone has no summer time."""
        return wall_clock(0, self.home.zone)

    def stream(self, windows: int, *, restarts: int = 1, late_every: int = 17) -> None:
        """So many windows up to `until`, a batch before each; drivers begin at equal distances."""
        chance = random.Random(self.seed)
        first = self.until - (windows - 1) * STEP
        for n, end in enumerate(range(first, self.until + 1, STEP)):
            if n % max(windows // (restarts + 1), 1) == 0 and self.epoch <= restarts:
                self.epoch += 1
                self._put(Lease(socket.gethostname(), 1, f"app-{self.epoch}"), end - STEP)
            rows = self._row_count(end)
            late = chance.randint(1, 4) if late_every and n % late_every == late_every - 1 else 0
            self._commit(end, rows, late)
            self._tick(end)

    def restate(self, ends: list[int], reason: str, factor: float = 1.03) -> None:
        """A backfill or a repair of these windows."""
        published = tuple(self._published(end, "restated", f"restated-{reason}") for end in ends)
        at = self.entries[-1].time + self.ahead + 1000
        entry = self._put(Restate(published, (), reason, {}, self.entries[-1].n), at, epoch=None)
        write_samples(self.home, INSERT, entry, [self._sample(entry, end, factor) for end in ends])

    def verify(self, unequal: list[int], mismatches: list[int]) -> None:
        """A verification of all windows, after the last entry."""
        history = changed(TableCommit(4, self.entries[-1].time, "UPDATE"), 3)
        bad = tuple(BadWindow(end - end % DAY, end, 0, 0, 1, history=history) for end in mismatches)
        windows = len({one.end for entry in self.entries for one in entry.published})
        found = InsertVerdict(
            INSERT, windows, windows - len(unequal), len(unequal) - len(bad), len(bad), 0, {}, bad, tuple(unequal)
        )
        keep_verdict(self.home, Verdict(self.home.path.name, "", self.entries[-1].n, None, None, (found,)))

    def write_log(self) -> None:
        """The log as it lies there after a while: chapters, and the newest entries in files of their own."""
        lines = [json.dumps(one.to_json(), separators=(",", ":")).encode() + b"\n" for one in self.entries]
        whole = max(len(lines) - KEPT, 0) // CHAPTER * CHAPTER
        for first in range(0, whole, CHAPTER):
            chapter = chapter_of(self.home.log_directory, first).local
            chapter.write_bytes(b"".join(lines[first : first + CHAPTER]))
            chapter.chmod(0o600)
        for n in range(whole, len(lines)):
            file = self.home.log_directory.local / f"{n}.json"
            file.write_bytes(lines[n])
            file.chmod(0o600)

    def beat(self, state: str = RUNNING, *, pid: int | None = None, **more: object) -> None:
        """The driver's sign of life; of a driver that runs the process is this one's, so that it is alive."""
        import os

        known: dict[str, object] = {
            "host": socket.gethostname(), "pid": pid or os.getpid(), "started": now_ms() - HOUR,
            "application": f"app-{self.epoch}", "process_start": ProcessStart.of(os.getpid()) if pid is None else None,
            "progress": now_ms(), "entry": len(self.entries) - 1, **more,
        }  # fmt: skip
        write_heartbeat(self.home.heartbeats, Heartbeat(state, self.epoch, **known))  # type: ignore[arg-type]

    # ------------------------------------------------------------------ entries

    def _put(self, body: Body, at: int, epoch: int | None = -1) -> Entry:
        """An entry of that time of the report's clock."""
        number = len(self.entries)
        entry = Entry(
            number, entry_kind(body), self.epoch if epoch == -1 else epoch, at - self.ahead, f"{number:032x}", body
        )
        self.entries.append(entry)
        return entry

    def _commit(self, end: int, rows: int, late: int) -> None:
        before = self.position.operators.get(OPERATOR, OperatorState()).watermark
        state = self.position.sources.get(SOURCE, SourceState())
        watermark = end - 1
        source = replace(state, watermark=watermark, files=state.files + 1, rows=state.rows + rows)
        operator = OperatorState(
            watermark=watermark,
            fired=end - STEP,
            rows=(StateFile(f"state/{OPERATOR}/{self.epoch}-{end:x}", end, end, rows),),
            closed=(StateFile(f"state/{OPERATOR}/{self.epoch}-{end - 1:x}", end, end, rows),),
        )
        self.position = replace(
            self.position, sources={SOURCE: source}, operators={OPERATOR: operator}, late=self.position.late + late
        )
        ledger = f"ledger/{self.epoch}-{end:x}" if late else None
        if ledger is not None:
            self._write_late(ledger, late, end)
        lateness = (Lateness(OPERATOR, late, 0),) if late else ()
        file = SourceFile(f"/data/orders/ds={format_instant(end)[:10]}/part-{end}.csv", 64 * rows, end * 1_000_000)
        seconds = 300 + rows // 3
        commit = Commit(
            SOURCE, (file,), rows, end + 500 - self.ahead, {OPERATOR: before}, {}, lateness, ledger, (), self.position
        )  # fmt: skip
        self._put(commit, end + 500 + seconds)

    def _tick(self, end: int) -> None:
        operator = replace(self.position.operators[OPERATOR], fired=end)
        self.position = replace(self.position, operators={OPERATOR: operator}, windows=self.position.windows + 1)
        body = Tick((self._published(end, "complete", "curve"),), end + 2000 - self.ahead, self.position)
        entry = self._put(body, end + 2500)
        write_samples(self.home, INSERT, entry, [self._sample(entry, end)])

    def _published(self, end: int, state: str, name: str) -> Published:
        start = end - 1 - (end - 1) % DAY
        target = f"ds={format_instant(start)[:10]}/{INSERT}-{start:x}-{end:x}.parquet"
        return Published(
            INSERT, start, end, state, self.shops, f"{hash((name, end)) & 2**64 - 1:032x}",
            f"staged/{self.epoch}-{name}-{end:x}/{INSERT}/part-0.parquet", target,
        )  # fmt: skip

    def _sample(self, entry: Entry, end: int, factor: float = 1.0) -> Sample:
        start = end - 1 - (end - 1) % DAY
        share = _share((end - start) / DAY)
        top, total = [], [0.0, 0.0, 0.0]
        for shop in range(1, self.shops + 1):
            size = 9000 / shop * _mood(start, shop) * factor
            values = (int(size * share * 0.7), int(size * share), round(size * share * (20 + shop), 2))
            top.append(SampledRow((str(shop),), values))
            total = [a + b for a, b in zip(total, values)]
        top.sort(key=lambda one: one.values[0] or 0, reverse=True)
        sums = (int(total[0]), int(total[1]), round(total[2], 2))
        return Sample(entry.n, end, self.shops, KEYS, MEASURES, sums, tuple(top[:20]))

    def _row_count(self, end: int) -> int:
        moment = (end - 1) % DAY / DAY
        return int(900 * (_share(moment + STEP / DAY) - _share(moment)) * DAY / STEP) + 20

    def _write_late(self, ledger: str, late: int, end: int) -> None:
        directory = self.home.path / ledger / f"{LATE_PREFIX}{OPERATOR}"
        directory.mkdir(parents=True)
        lines = [
            json.dumps({
                "file": f"file:///data/orders/part-{end}.csv", "watermark": end - STEP, "dropped": False,
                "missed_from": end - 3 * STEP, "missed_until": end - STEP,
                "row": {"order_id": n, "shop_id": 1 + n % self.shops, "price": 9.5, "pay_time": format_instant(end)},
            })
            for n in range(late)
        ]  # fmt: skip
        (directory / "part-00000.txt").write_text("\n".join(lines) + "\n")


def _share(day: float) -> float:
    """Of a day's orders those until then: few at night, most at noon and in the evening."""
    x = min(max(day, 0.0), 1.0)
    return 0.45 / (1 + math.exp(-16 * (x - 0.5))) + 0.45 / (1 + math.exp(-22 * (x - 0.83))) + 0.1 * x


def _mood(start: int, shop: int) -> float:
    weekday = start // DAY % 7
    return 1 + 0.18 * math.sin(weekday * 0.9 + shop) + 0.05 * random.Random(start ^ shop).random()


# ---------------------------------------------------------------------------------------------------- whole homes


def last_step(zone: str | None) -> int:
    """The end of the newest window that is complete now, on the clock of the zone."""
    return (wall_clock(now_ms(), zone) - 5 * MINUTE) // STEP * STEP


def zone_of_noon() -> str:
    """A zone where it is noon, so that today has windows enough to show, at whatever hour the tests run."""
    ahead = 12 - now_ms() % DAY // HOUR
    return f"GMT{'-' if ahead < 0 else '+'}{abs(ahead):02d}:00"


def make_home(
    root: Path, plan: Plan, name: str, *, windows: int = 432, dag_id: str | None = "orders", until: int | None = None,
    seed: int = 1, shops: int = 8, restarts: int = 2,
) -> Made:  # fmt: skip
    """A home below `root` that streams, with what a page has to show: restarts, late rows, restatements, a verdict."""
    home = Home.create(root / name, replace(plan, name=name))
    made = Made(home, last_step(plan.zone) if until is None else until, shops, seed)
    made.stream(windows, restarts=min(restarts, windows // 10))
    ends = [one.end for entry in made.entries for one in entry.published if one.end is not None]
    if windows >= 40:
        made.restate(ends[-30:-26], "backfill")
        made.restate(ends[-20:-18], "repair")
        made.verify(ends[-40:-36] + ends[-12:-11], ends[-12:-11])
    made.write_log()
    made.beat()
    home.driver_log.local.write_text(
        "".join(f"2026-01-01 10:00:{n % 60:02d} INFO batch {n} of {name}\n" for n in range(300))
    )
    home.driver_log.local.chmod(0o600)
    if dag_id is not None:
        note_task(home, STREAM, TaskOfHome(dag_id, "stream"))
        note_task(home, BACKFILL, TaskOfHome(f"{dag_id}_nightly", "backfill", ("interval", "repair"), "repair"))
        note_task(home, VERIFY, TaskOfHome(f"{dag_id}_nightly", "verify", ("interval",)))
    return made


def make_homes(
    root: Path, reports: int = 50, windows: int = 10_000, restarts: int = 2, of_others: int = 432
) -> Iterator[Made]:
    """One home with so many windows and restarts, and others with so many windows each.

    The last ones have failed, stopped, or are broken.
    """
    root.mkdir(parents=True, exist_ok=True)
    plan = plan_of_homes(root.with_name(f"{root.name}-data"))
    plan = replace(plan, settings=(*plan.settings, (TIME_ZONE, zone_of_noon())))
    for n in range(reports):
        name = "orders_curve" if n == 0 else f"report_{n:02d}"
        size = {"windows": windows, "restarts": restarts} if n == 0 else {"windows": of_others}
        made = make_home(root, plan, name, dag_id=f"dag_{n % 10}", seed=n, **size)
        if n == reports - 1 and n:
            made.beat(
                "failed", error="column price of orders: 'abc' is no DECIMAL(10, 2) (part-7.csv, line 12)", final=True
            )
        elif n == reports - 2 and n:
            made.beat("stopped")
        elif n == reports - 3 and n:
            made.home.report_file.local.write_text("{")
        yield made
