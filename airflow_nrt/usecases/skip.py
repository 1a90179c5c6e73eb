"""A home goes on without rows of its sources that can't be read: they are rejected, and stand in its ledger."""

from __future__ import annotations

from collections.abc import Sequence

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.batch.progress import Progress
from airflow_nrt.engine.faults import reach
from airflow_nrt.engine.sources import source_of
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Commit, Restate
from airflow_nrt.home.log.skipped_rows import has
from airflow_nrt.home.skipped import ask, asked
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
    source = _source(plan, request.source)
    rows = _found(plan, source, request, say)
    _check_unread(home, source.name, rows)
    reach("skip-checked")
    before = asked(home).get(source.name, ())
    ask(home, source.name, rows)
    reach("skip-asked")
    return _result(home, added=len({*rows} - {*before}))


def _source(plan: Plan, name: str | None) -> Source:
    names = [source.name for source in plan.sources]
    if name is None and len(names) == 1:
        return plan.sources[0]
    if name not in names:
        wrong = "the report has several sources" if name is None else f"the report has no source {name!r}"
        raise InputError(f"{wrong}: --source is one of {', '.join(names)}")
    return plan.source(name)


def _found(plan: Plan, source: Source, request: SkipRequest, say: Progress) -> list[SkippedRow]:
    connector = source_of(source.table)
    if not connector.needs_session:
        return [connector.row_at(None, source.table, place) for place in request.places]
    with session(plan, request.master) as spark:
        say("Spark session started")
        return [connector.row_at(spark, source.table, place) for place in request.places]


def _check_unread(home: Home, source: str, rows: Sequence[SkippedRow]) -> None:
    for entry in home.log().entries():
        body = entry.body
        if isinstance(body, Commit):
            read = body.splits if body.source == source else ()
        else:
            read = body.splits(source) if isinstance(body, Restate) else ()
        for row in (row for row in rows for split in read if has(split, row)):
            raise InputError(f"{row} was read by entry {entry.n}: only rows that no entry has read can be left out")


def _result(home: Home, added: int = 0) -> SkipResult:
    return SkipResult({source: tuple(map(str, rows)) for source, rows in asked(home).items()}, added)
