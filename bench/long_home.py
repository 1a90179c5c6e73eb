"""What a home of many entries costs: a driver's start, `status`, a look, for a new home and an old one, in turn.

python -m bench.long_home [--entries 86400] [--by day] [--runs 3] [--out bench/out]
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import statistics
import sys
import time
import uuid
import zlib
from dataclasses import replace
from operator import attrgetter
from pathlib import Path

from airflow_nrt.engine.state.compaction import FANOUT
from airflow_nrt.home.heartbeat import read_heartbeat, write_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.chapters import CHAPTER, chapter_of
from airflow_nrt.home.log.entries import (
    Body,
    Commit,
    Entry,
    Lateness,
    Position,
    Published,
    Restate,
    StateFile,
    Tick,
    entry_kind,
)
from airflow_nrt.home.log.fold.checkpoints import DISTANCE
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.log.named_files import NamedFile, NamedFiles
from airflow_nrt.home.log.past.past import write_missing_past
from airflow_nrt.home.log.splits import SourceFile
from airflow_nrt.home.log.volumes import VOLUME
from bench.contests import emptied
from bench.processes import Figures, measured
from bench.reports import airflow_nrt, files

SECOND, STEP, LATE, REPAIRED = 1_000, 600, 2_600, 64_800
FILES_OF = {"nothing": 0, "hour": 3_600, "day": 86_400}
"""How many files a directory gets, 0: all are in that of the table."""
_COLUMNS = "shop INT, price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND"
_OF = "CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '1' DAY)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=int, default=86_400, help="a batch a second: 86400 a day")
    parser.add_argument("--by", choices=FILES_OF, default="nothing", help="directories of a file a second")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path("bench/out"))
    options = parser.parse_args()
    new, old = (written(options.out.absolute(), entries, options.by) for entries in (0, options.entries))
    print("| what | new home: s, CPU s, MB | old home: s, CPU s, MB | more |\n|---|---|---|---|")
    for name, command in COMMANDS.items():
        found: dict[Path, list[Figures]] = {new: [], old: []}
        for _ in range(options.runs):
            for place in (new, old):
                found[place].append(measured(command(place), place / "printed"))
        ours, theirs = (found[place] for place in (new, old))
        more = statistics.median(one.seconds for one in theirs) - statistics.median(one.seconds for one in ours)
        print(f"| {name} | {_words(ours)} | {_words(theirs)} | {more:.1f} s |", flush=True)
    print(f"\n{_log_in_words(Home.open(old / 'home'))}")


def _words(runs: list[Figures]) -> str:
    seconds, cpu, peak = (statistics.median(map(attrgetter(one), runs)) for one in ("seconds", "cpu", "peak"))
    return f"{seconds:.1f}, {cpu:.1f}, {peak / 2**20:.0f}"


def _log_in_words(home: Home) -> str:
    """Its size when old chapters have moved into volumes, and how long it takes to read all its entries."""
    log, began = home.log(), time.monotonic()
    while log.bind_volume():
        pass
    bound, began = time.monotonic() - began, time.monotonic()
    raw = sum(len(log.content(n)) for n in range(log.last + 1))
    read, began = time.monotonic() - began, time.monotonic()
    count = sum(1 for _ in log.audit())
    walked = time.monotonic() - began
    volumes = list(home.log_directory.local.glob("*.jsonl.xz"))
    size = sum(file.stat().st_size for file in volumes)
    each = f"{size / (len(volumes) * VOLUME):.0f} bytes an entry" if volumes else "no entry"
    return (
        f"The log of {count} entries has {raw / 2**20:.0f} MB. {len(volumes)} volumes have {size / 2**20:.1f} MB, "
        f"{each}; they took {bound:.1f} s. All contents are read in {read:.1f} s, all entries in {walked:.1f} s."
    )


def _of_home(name: str, place: Path) -> list[str]:
    return [sys.executable, "-m", "airflow_nrt.cli.main", name, "--home", str(place / "home")]


_VIEW = """
import sys
from airflow_nrt.home.home import Home
from airflow_nrt.page.log_facts import Facts
Facts().follow(Home.open(sys.argv[1]).log())
"""
COMMANDS = {
    "a driver that finds nothing new": lambda place: airflow_nrt("run", place, "--available-now"),
    "status": lambda place: _of_home("status", place),
    "windows": lambda place: _of_home("windows", place),
    "late": lambda place: _of_home("late", place),
    "changelog": lambda place: _of_home("changelog", place),
    "the page's first view": lambda place: [sys.executable, "-c", _VIEW, str(place / "home")],
}


def written(out: Path, entries: int, by: str) -> Path:
    """A report with a home of so many entries more: a batch of one file a second, its rows in a table without windows,
    windows every ten minutes, a late row in one of 2,600 batches, a repair of a window in one of 64,800."""
    place = out / f"home-{entries}-by-{by}"
    if place.exists():
        return place
    aside = emptied(out / f".{place.name}")
    orders = aside / "orders"
    orders.mkdir()
    (orders / "0.csv").write_text("1,5,2024-06-18 00:00:00\n2,7,2024-06-18 00:10:05\n")
    (aside / "sales.sql").write_text(
        f"CREATE TABLE orders ({_COLUMNS}) {files(place / 'orders')};\n"
        "CREATE TABLE sales (shop INT, window_end TIMESTAMP(3), price BIGINT)\n"
        f"  WITH ('connector' = 'filesystem', 'path' = '{place / 'sales'}', 'format' = 'csv');\n"
        "CREATE TABLE prices (shop INT, price INT)\n"
        f"  WITH ('connector' = 'filesystem', 'path' = '{place / 'prices'}', 'format' = 'csv');\n"
        "INSERT INTO sales SELECT shop, window_end, SUM(price)\n"
        f"FROM TABLE({_OF}) GROUP BY shop, window_start, window_end;\n"
        "INSERT INTO prices SELECT shop, price FROM orders;\n"
    )
    aside.rename(place)
    measured(airflow_nrt("run", place, "--available-now"), place / "printed")
    _age(Home.open(place / "home"), place / "orders", entries, FILES_OF[by])
    # The first start after so many entries writes checkpoints, and lists everything.
    print(f"the first start: {_words([measured(airflow_nrt('run', place, '--available-now'), place / 'printed')])}")
    # What drivers have done by then in a home that has grown.
    log = Home.open(place / "home").log()
    for _ in range(0, entries, DISTANCE):
        write_missing_past(log)
        log.bind_volume()
    return place


class Chapters:
    """Appends entries in chapters at once: a file for each would take ten times as long."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self.next = log.last + 1
        first = self.next - self.next % CHAPTER
        self._lines = [log.content(n).strip() for n in range(first, self.next)]

    def append(self, body: Body, epoch: int | None) -> None:
        entry = Entry(self.next, entry_kind(body), epoch, int(time.time() * 1000), secrets.token_hex(8), body)
        self._lines.append(json.dumps(entry.to_json(), separators=(",", ":"), ensure_ascii=False).encode())
        self.next += 1
        if len(self._lines) == CHAPTER:
            chapter_of(self._log.directory, entry.n).replace(b"".join(line + b"\n" for line in self._lines))
            self._lines = []

    def finish(self) -> None:
        """The entries of a chapter that has just begun are files of their own."""
        for n, line in enumerate(self._lines, self.next - len(self._lines)):
            (self._log.directory / f"{n}.json").replace(line + b"\n")


def _age(home: Home, orders: Path, entries: int, in_directory: int) -> None:
    """Entries as the driver would have written them, without its rows."""
    log = home.log()
    epoch, last = log.epoch(), next(one for one in log.backwards() if isinstance(one.body, Commit))
    commit, position = last.body, log.position()
    assert isinstance(commit, Commit)
    (operator,), (source,) = position.operators, position.sources
    chapters, absorbed = Chapters(log), position.operators[operator].rows
    os.umask(0o077)
    for n in range(1, entries + 1):
        directory = orders / f"part={n // in_directory}" if in_directory else orders
        directory.mkdir(exist_ok=True)
        file = directory / f"{n}.csv"
        file.touch()
        stat = file.stat()
        read = position.sources[source]
        passed = (read.watermark or 0) + SECOND
        read = replace(read, watermark=passed, files=read.files + 1, rows=read.rows + 1)
        written, partials = _state(epoch, operator, n, passed)
        newest = (*position.operators[operator].rows[len(absorbed) :], partials)[-FANOUT:]
        # The next driver reads what is really there.
        rows = absorbed if n == entries else (*absorbed, *newest)
        state = replace(position.operators[operator], watermark=passed, rows=rows)
        seen = {operator: position.operators[operator].watermark}
        position = replace(position, sources={source: read}, operators={operator: state})
        body = replace(
            commit, files=(SourceFile(str(file), 0, stat.st_mtime_ns),), rows=1, clock=commit.clock + n * SECOND,
            seen=seen, published=(_passed(epoch, n),), position=position, removed=(), written=written,
        )  # fmt: skip
        if n % LATE == 0:
            body = replace(body, ledger=_ledger(home, epoch, n, operator), late=(Lateness(operator, 1, 1),))
        chapters.append(body, epoch)
        if n % STEP == 0:
            window, position = _fired(epoch, position, operator)
            chapters.append(Tick((window,), body.clock, position), epoch)
            if n % REPAIRED == 0:
                repaired = replace(window, state="restated", staged=f"staged/restate-{n}/{window.target}")
                chapters.append(Restate((repaired,), (), "repair", {}, chapters.next - 1), None)
    chapters.finish()
    beat = read_heartbeat(home.heartbeats)
    assert beat is not None
    write_heartbeat(home.heartbeats, replace(beat, entry=chapters.next - 1))


def _state(epoch: int, operator: str, n: int, end: int) -> tuple[NamedFiles, StateFile]:
    """The partials of a batch, as an entry names them: Spark's names and checksums can't be compressed."""
    path = f"state/{operator}/{epoch}-{n}"
    file = NamedFile(f"part-00000-{uuid.uuid4()}-c000.lz4raw.parquet", 2_400 + n % 100, zlib.crc32(path.encode()))
    return {path: (file,)}, StateFile(path, end, end, 1)


def _passed(epoch: int, n: int) -> Published:
    job = uuid.uuid4()
    staged = f"staged/{epoch}-{n}/prices/part-00000-{job}-c000.csv"
    return Published("prices", None, None, "passed", 1, uuid.uuid4().hex, staged, f"prices-{job.hex}.csv")


def _ledger(home: Home, epoch: int, n: int, operator: str) -> str:
    ledger = f"ledger/{epoch}-{n}"
    directory = home.root / ledger / f"late-{operator}"
    directory.make()
    late = {"row": {"shop": 1, "price": 5}, "rowtime": 0, "watermark": 1, "dropped": True, "file": f"{n}.csv"}
    record = {**late, "block": 0, "position": 0, "missed_from": STEP * SECOND, "missed_until": STEP * SECOND}
    (directory / "part-0.txt").replace(json.dumps(record).encode() + b"\n")
    return ledger


def _fired(epoch: int, position: Position, operator: str) -> tuple[Published, Position]:
    """A window whose file is published already: nothing is staged for it."""
    state = position.operators[operator]
    assert state.watermark is not None
    end = state.watermark - state.watermark % (STEP * SECOND)
    fired = replace(position, operators={operator: replace(state, fired=end)}, windows=position.windows + 1)
    target = f"{end}.csv"
    window = Published("sales", None, end, "complete", 2, "0" * 32, f"staged/{epoch}-{end}/{target}", target)
    return window, fired


if __name__ == "__main__":
    main()
