"""Publishes an older version of a window again, which a repair or a backfill has replaced."""

from __future__ import annotations

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.batch.progress import Progress
from airflow_nrt.engine.undo import AskedUndo, check_undo
from airflow_nrt.engine.undo import undo as undo_window
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.authors import Author
from airflow_nrt.home.log.past.past import past_results
from airflow_nrt.home.log.pins import pins_after
from airflow_nrt.home.replaced.versions import versions_of
from airflow_nrt.table.reports.load import plan_of_home
from airflow_nrt.usecases.requests.versions import UndoRequest, UndoResult
from airflow_nrt.usecases.sessions import session
from airflow_nrt.usecases.versions.versions import end_of, windows_at


def undo(request: UndoRequest, say: Progress) -> UndoResult:
    """Raises InputError, before Spark starts, as `check_undo` does, and for a window of several inserts where none is
    named; UnreachableError if the server of a table does not answer."""
    home = Home.open(request.home, request.group)
    plan = home.as_it_runs(plan_of_home(home, request.settings))
    by = Author.of_process("undo")
    asked = AskedUndo(_insert(home, request), end_of(home, request.window), by, request.to, request.reason)
    check_undo(plan, home, asked)
    with session(plan, request.master) as spark:
        say("Spark session started")
        entry = undo_window(spark, plan, home, asked)
    (pin,) = pins_after((), entry)
    rows = sum(one.rows for one in entry.published)
    window = plan.insert(asked.insert).window
    start = None if window is None else window.start(asked.end)
    return UndoResult(asked.insert, start, asked.end, entry.n, pin.version, rows, str(pin))


def _insert(home: Home, request: UndoRequest) -> str:
    found = windows_at(versions_of(home, past_results(home.log())), end_of(home, request.window), request.insert)
    names = sorted(name for name, _ in found)
    if len(names) > 1:
        raise InputError(f"the inserts {', '.join(names)} have a window that ends there: --insert is one of them")
    return names[0]
