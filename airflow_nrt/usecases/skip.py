"""A home goes on without rows of its sources that can't be read: they are rejected, and stand in its ledger."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.batch.progress import Progress
from airflow_nrt.engine.faults import reach
from airflow_nrt.engine.sources import source_of
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Commit, Restate
from airflow_nrt.home.log.fold.checkpoints import read_below
from airflow_nrt.home.log.history.skipped_rows import has
from airflow_nrt.home.log.splits import SourceRange, Split
from airflow_nrt.home.skipped import ask, asked, no_longer
from airflow_nrt.model.plan import Plan, Source
from airflow_nrt.model.skipped_row import SkippedRow
from airflow_nrt.table.reports.load import plan_of_home
from airflow_nrt.usecases.requests.skip import SkipRequest, SkipResult
from airflow_nrt.usecases.sessions import session


def skip(request: SkipRequest, say: Progress) -> SkipResult:
    """Has the next drivers leave out rows that no entry has read yet. Without places it changes nothing.

    Raises InputError for a place where no row is, and for a row that was read, and UnreachableError if a server does
    not answer.
    """
    home = Home.open(request.home, request.group)
    if not request.places:
        return _result(home)
    plan = plan_of_home(home, request.settings)
    source = source_named(plan, request.source)
    with session(plan, request.master) as spark:
        say("Spark session started")
        rows = rows_at(spark, source, request.places)
    return leave_out(home, source.name, rows)


def take_back(request: SkipRequest) -> SkipResult:
    """Has the next drivers read rows again that were to be left out, as `skip` shows them.

    Raises InputError for a row that is not among them, and for one that was read and left out.
    """
    if not request.places:
        raise InputError(
            "--take-back wants the rows that it is about: --at PLACE, as the command shows them without it"
        )
    home = Home.open(request.home, request.group)
    known = {name: rows for name, rows in asked(home).items() if request.source in (None, name)}
    named = {name: [row for row in rows if str(row) in request.places] for name, rows in known.items()}
    unknown = [place for place in request.places if place not in {str(row) for rows in named.values() for row in rows}]
    if unknown:
        raise InputError(f"{unknown[0]} is no row that is left out: without --at the command shows them")
    for name, rows in named.items():
        _check_unread(home, name, rows)
    for name, rows in named.items():
        no_longer(home, name, rows)
    return _result(home)


def source_named(plan: Plan, name: str | None) -> Source:
    """Raises InputError if there is none of this name, or, without a name, if there are several."""
    names = [source.name for source in plan.sources]
    if name is None and len(names) == 1:
        return plan.sources[0]
    if name not in names:
        wrong = "the report has several sources" if name is None else f"the report has no source {name!r}"
        raise InputError(f"{wrong}: --source is one of {', '.join(names)}")
    return plan.source(name)


def rows_at(spark: SparkSession, source: Source, places: Sequence[str]) -> list[SkippedRow]:
    """The rows at these places. Raises InputError if one is not there."""
    return [source_of(source.table).row_at(spark, source, place) for place in places]


def leave_out(home: Home, source: str, rows: Sequence[SkippedRow]) -> SkipResult:
    """Raises InputError for a row that was read."""
    known = asked(home).get(source, ())
    new = [row for row in dict.fromkeys(rows) if row not in known]
    _check_unread(home, source, new)
    reach("skip-checked")
    if new:
        ask(home, source, new)
    reach("skip-asked")
    return _result(home, added=len(new))


def _check_unread(home: Home, source: str, rows: Sequence[SkippedRow]) -> None:
    log = home.log()
    for row in (row for row in rows for split in read_below(log).get(source, ()) if _was_read(split, row)):
        raise InputError(f"{row} was read by an entry before {log.first}: what an entry has read stays as it is")
    for entry in log.audit():
        body = entry.body
        if isinstance(body, Commit):
            read = body.splits if body.source == source else ()
        else:
            read = body.splits(source) if isinstance(body, Restate) else ()
        for row in (row for row in rows for split in read if has(split, row)):
            raise InputError(f"{row} was read by entry {entry.n}: what an entry has read stays as it is")


def _was_read(split: Split, row: SkippedRow) -> bool:
    """Whether the removed entries that have read a split have read a row: of a part, all before the end of its last
    range."""
    if isinstance(split, SourceRange):
        return split.part == row.part and row.number < split.end
    return has(split, row)


def _result(home: Home, added: int = 0) -> SkipResult:
    return SkipResult({source: tuple(map(str, rows)) for source, rows in asked(home).items()}, added)
