"""The comparisons: the same rows on both sides, whole processes, and results that are compared before a time counts."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import programs, reports
from bench.orders import Day
from bench.processes import Figures, killed, measured
from bench.programs import Program
from bench.reports import CUMULATE, HOP, PLAIN, TUMBLE, Report, airflow_nrt, files
from bench.same_rows import flink_csv, parquet

NAMES = "item_id window_start window_end sales orders buyers"
DAY = ("--start", "2024-06-18 00:00", "--end", "2024-06-19 00:00")
NAMES_OF_PLAIN = "item_id window_start window_end sales orders"
START, END = "TIMESTAMP '2024-06-18'", "TIMESTAMP '2024-06-19'"

AT_ONCE: Mapping[str, str] = {}
OFTEN = {"source.max-batch-size": "170 mb"}
"""A batch of this size takes seven or eight seconds, so that the log has a commit at least every ten seconds."""
ONE_BY_ONE = {"source.max-batch-size": "1 b"}
HEAP: tuple[str, ...] = ()
ROCKSDB = (
    "state.backend.type=rocksdb",
    "execution.checkpointing.interval=10 s",
    "execution.checkpointing.incremental=true",
)


@dataclass(frozen=True)
class Contestant:
    """`run` does the work in an empty directory; `result` is its result, as SQL."""

    name: str
    run: Callable[[Path], Figures]
    result: Callable[[Path], str]


@dataclass(frozen=True)
class Contest:
    """`goal` is the wanted ratio of the peer's figure to ours; `where` selects the rows that both have."""

    name: str
    goal: float
    ours: Contestant
    peer: Contestant
    figure: str = "seconds"
    names: str = NAMES
    where: str = "true"


def contests(day: Day, flink: Path | None, is_full: bool) -> list[Contest]:
    """The possible comparisons: without Flink's Python, those with other peers. `is_full` adds the slow ones."""
    found = []
    if flink is not None:
        goals = {CUMULATE: 2.0 if day.rows > 5_000_000 else 1.5, TUMBLE: 1.5, HOP: 1.5}
        for report, goal in goals.items():
            ours, peer = stream(report, day.csv), flink_job(report, day, flink)
            found.append(Contest(f"catch-up, {report.name}", goal, ours, peer))
        if is_full:
            for report in goals:
                ours, peer = stream(report, day.csv, OFTEN), flink_job(report, day, flink, ROCKSDB)
                found.append(Contest(f"catch-up, {report.name}, a commit every 10 s", 4.0, ours, peer))
            found.append(
                Contest("catch-up, CUMULATE, killed half-way", 4.0, killed_stream(day), killed_flink(day, flink))
            )
            batch = flink_job(CUMULATE, day, flink, ("execution.runtime-mode=batch",))
            found.append(Contest("backfill of the day", 50.0, backfill(day), batch))
        # PyFlink needs many minutes for an aggregate in Python.
        for program in (programs.PANDAS_MAP, programs.TUMBLE) if is_full else (programs.PANDAS_MAP,):
            peers = product(program, day), pyflink(program, day, flink)
            found.append(Contest(program.name, 1.0, *peers, names=program.names))
    found.append(Contest("backfill of the day", 0.5, backfill(day), duckdb(day)))
    plain = (stream(PLAIN, day.csv, ONE_BY_ONE), spark_window(day))
    # Spark ends where its watermark stands.
    before = f"window_end < {END}"
    found.append(Contest("TUMBLE without distinct, 48 batches", 1.2, *plain, names=NAMES_OF_PLAIN, where=before))
    live = (stream(CUMULATE, day.steps, ONE_BY_ONE), rereading(day, 12 if is_full else 4))
    found.append(Contest("a day, results every ten minutes", 30.0, *live, figure="cpu", where=f"window_end = {END}"))
    return found


# ---------------------------------------------------------------------------------------------------- ours


def stream(
    report: Report, directory: Path, options: Mapping[str, str] = AT_ONCE, more: Sequence[str] = ()
) -> Contestant:
    """The stream over all existing files. `options` are those of the source, `more` those of the command."""
    source = files(directory, "csv", options)
    return _of_product(lambda sink: report.script(source, sink), "run", *more)


def killed_stream(day: Day) -> Contestant:
    """The same, killed half-way and started again."""
    whole = stream(CUMULATE, day.csv, OFTEN)

    def run(place: Path) -> Figures:
        seconds = whole.run(emptied(place / "whole")).seconds
        (place / "sales.sql").write_text(CUMULATE.script(files(day.csv, "csv", OFTEN), place / "sales"))
        command = airflow_nrt("run", place)
        return _killed_once(command, lambda: command, place, seconds / 2)

    return Contestant("airflow-nrt, killed", run, whole.result)


def _killed_once(begin: Sequence[str], resume: Callable[[], Sequence[str]], place: Path, after: float) -> Figures:
    seconds = killed(begin, place / "killed", after)
    rest = measured(resume(), place / "log")
    return Figures(seconds + rest.seconds, rest.cpu, rest.peak)


def backfill(day: Day) -> Contestant:
    columns = f"{reports.COLUMNS}, ds STRING, hh STRING"
    source = files(day.parquet, "parquet", {"partition.time-extractor.timestamp-pattern": "$ds $hh:00:00"})
    return _of_product(
        lambda sink: CUMULATE.script(f"PARTITIONED BY (ds, hh) {source}", sink, columns), "backfill", *DAY
    )


def product(program: Program, day: Day) -> Contestant:
    """A program, as a stream over all existing files."""

    def run(place: Path) -> Figures:
        values = program.values(reports.COLUMNS, files(day.csv), files(place / "sales", "parquet"))
        settings = [word for value in values for word in ("--set", value)]
        return measured(airflow_nrt("run", place, *settings, report=program.file), place / "log")

    return Contestant("airflow-nrt", run, _parquet)


def _parquet(place: Path) -> str:
    return parquet(place / "sales" / "*.parquet")


def _of_product(script: Callable[[Path], str], command: str, *arguments: str) -> Contestant:
    def run(place: Path) -> Figures:
        (place / "sales.sql").write_text(script(place / "sales"))
        return measured(airflow_nrt(command, place, *arguments), place / "log")

    return Contestant("airflow-nrt", run, _parquet)


# ---------------------------------------------------------------------------------------------------- peers


def flink_job(report: Report, day: Day, python: Path, settings: Sequence[str] = HEAP) -> Contestant:
    def run(place: Path) -> Figures:
        return measured(_flink(report, day, python, place, settings), place / "log")

    name = f"Flink, {settings[0].rpartition('=')[2]}" if settings else "Flink"
    return Contestant(name, run, lambda place: flink_csv(place / "sales", NAMES))


def killed_flink(day: Day, python: Path) -> Contestant:
    """Flink with RocksDB, killed half-way and started again from its last checkpoint."""
    kept = (*ROCKSDB, "execution.checkpointing.externalized-checkpoint-retention=RETAIN_ON_CANCELLATION")
    whole = flink_job(CUMULATE, day, python, ROCKSDB)

    def run(place: Path) -> Figures:
        def resumed() -> list[str]:
            last = max((place / "checkpoints").rglob("_metadata"), key=lambda file: file.stat().st_mtime, default=None)
            recovery = [] if last is None else [f"execution.state-recovery.path=file://{last.parent}"]
            return _flink(CUMULATE, day, python, place, (*kept, *recovery))

        seconds = whole.run(emptied(place / "whole")).seconds
        return _killed_once(_flink(CUMULATE, day, python, place, kept), resumed, place, seconds / 2)

    return Contestant("Flink, rocksdb, killed", run, whole.result)


def _flink(report: Report, day: Day, python: Path, place: Path, settings: Sequence[str]) -> list[str]:
    chosen = [*settings, f"execution.checkpointing.dir=file://{place}/checkpoints"]
    return [
        str(python), str(Path(__file__).with_name("peers") / "flink.py"), "--data", str(day.two),
        "--out", str(place / "sales"), "--windows", report.windows, "--aggregates", report.aggregates,
        "--columns", reports.COLUMNS, "--results", f"{reports.BOUNDS}, {report.results}",
        *(word for one in chosen for word in ("--set", one)),
    ]  # fmt: skip


def pyflink(program: Program, day: Day, python: Path) -> Contestant:
    """A program in PyFlink, which runs its functions in Python processes, too."""

    def run(place: Path) -> Figures:
        return measured(pyflink_job(program, day, python, files(Path(f"file:{place / 'sales'}"))), place / "log")

    return Contestant("PyFlink", run, lambda place: flink_csv(place / "sales", program.names))


def pyflink_job(program: Program, day: Day, python: Path, sink: str) -> list[str]:
    """The command; `sink` is a WITH clause."""
    peer = Path(__file__).with_name("peers") / "flink_program.py"
    values = program.values(reports.COLUMNS, files(Path(f"file:{day.two}")), sink)
    return [str(python), str(peer), str(program.file), *values]


def duckdb(day: Day) -> Contestant:
    def run(place: Path) -> Figures:
        return measured(_module("duck", str(day.parquet), str(place / "sales.parquet")), place / "log")

    return Contestant("DuckDB", run, lambda place: parquet(place / "sales.parquet"))


def spark_window(day: Day) -> Contestant:
    def run(place: Path) -> Figures:
        command = _module("spark_window", str(day.csv), str(place / "sales"), str(place / "checkpoint"))
        return measured(command, place / "log")

    return Contestant("Spark window()", run, lambda place: parquet(place / "sales" / "*.parquet"))


def rereading(day: Day, runs: int) -> Contestant:
    """The batch job of each ten minutes: `runs` of them, evenly over the day, represent all 144."""

    def run(place: Path) -> Figures:
        measurements = []
        for minutes in range(1440 // runs, 1441, 1440 // runs):
            command = _module("rereading", str(day.parquet), str(place / "sales"), str(minutes))
            measurements.append(measured(command, place / "log"))
        seconds, cpu = (sum(getattr(one, name) for one in measurements) * 144 / runs for name in ("seconds", "cpu"))
        return Figures(seconds, cpu, max(one.peak for one in measurements))

    def last(place: Path) -> str:
        return f"SELECT *, {START} AS window_start, {END} AS window_end FROM ({parquet(place / 'sales' / '*.parquet')})"

    return Contestant(f"batch job ({runs} of 144 runs)", run, last)


def _module(name: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", f"bench.peers.{name}", *arguments]


def emptied(place: Path) -> Path:
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    return place
