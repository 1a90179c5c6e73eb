"""Is a report right? In the process that may import it, which ends with the answer."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from airflow_nrt.basics.errors import ChangedReportError
from airflow_nrt.basics.texts import counted
from airflow_nrt.describe.cautions import cautions, cautions_of_place
from airflow_nrt.describe.overlaps import check_places
from airflow_nrt.describe.without_effect import without_effect
from airflow_nrt.model.plan import Plan
from airflow_nrt.program.modules import file_of
from airflow_nrt.program.program import program_of
from airflow_nrt.sql.errors import SqlError, SqlErrors
from airflow_nrt.usecases.plans import plan_of
from airflow_nrt.usecases.problems import problem_lines
from airflow_nrt.usecases.requests.check import CheckRequest, Findings
from airflow_nrt.usecases.sessions import needing_spark, session

if TYPE_CHECKING:
    from airflow_nrt.home.home import Home


def check(request: CheckRequest) -> Findings:
    """Raises InputError for what has no place in the report."""
    report = request.report.report
    try:
        plan = plan_of(request.report)
    except (SqlError, SqlErrors) as wrong:
        if request.debug:
            traceback.print_exc()
        program = program_of(report, Path.cwd())
        file = None if program is None else file_of(program.module, program.root)
        return Findings(wrong.exit_status, problems=tuple(problem_lines(wrong, report, file)), lines=())
    changed: Sequence[str] = ()
    if request.home is None:
        check_places(plan)
    else:
        from airflow_nrt.home.home import Home
        from airflow_nrt.table.reports.load import plan_of_home

        try:
            home = Home.checked(request.home, plan, plan_of_home, request.group)
        except ChangedReportError as refused:
            return _refused(report, plan, request.home, request.group, refused)
        if home.report_file.exists():
            changed = (*_changes(home, plan), *_gaps(home, plan))
    if request.deep:
        _analyse(plan)
    return Findings(0, problems=(), lines=(*_lines(plan), *changed))


def _analyse(plan: Plan) -> None:
    with needing_spark():
        from airflow_nrt.engine.batch.analysis import analyse
        from airflow_nrt.engine.spark.quick_session import end_java

        try:
            with session(plan, "local[1]") as spark:
                analyse(spark, plan)
        finally:
            # This process ends with its answer, and so does all that it has started.
            end_java()


def _refused(report: str, plan: Plan, place: str, group: str | None, refused: ChangedReportError) -> Findings:
    """The home has another report: what differs is said by insert, with what it would take."""
    from airflow_nrt.home.home import Home

    what, _, _ = str(refused).partition(":\n")
    return Findings(refused.exit_status, problems=(f"{report}: {what}",), lines=_changes(Home.open(place, group), plan))


def _changes(home: Home, plan: Plan) -> tuple[str, ...]:
    from airflow_nrt.usecases.changes import changes_in

    return tuple(changes_in(home, plan).lines)


def _gaps(home: Home, plan: Plan) -> list[str]:
    """Added tables that lack windows, because the log entries that published these are removed."""
    from airflow_nrt.home.log.history.first_windows import first_windows
    from airflow_nrt.home.notes.first_windows import lacks_earlier, noted_first_windows
    from airflow_nrt.table.reports.load import plan_of_home

    first = {**noted_first_windows(home), **first_windows(home.log(), home.additions(plan, plan_of_home))}
    return [lacks_earlier(name, end) for name, end in first.items()]


def _lines(plan: Plan) -> Iterator[str]:
    for what, why in without_effect(plan).items():
        yield f"{what} has no effect here: {why}"
    lacking = cautions_of_place(plan)
    yield from (*cautions(plan), *lacking)
    operators = counted(len(plan.operators), "window operator")
    if plan.updating:
        operators += ", " + counted(len(plan.updating), "updating operator")
    sources = counted(len(plan.sources), "source")
    verdict = "fine but for this host" if lacking else "fine"
    yield f"{verdict} ({sources}, {operators} → {', '.join(insert.name for insert in plan.inserts)})"
