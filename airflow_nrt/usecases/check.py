"""Is a report right? In the process that may import it, which ends with the answer."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

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
    added: Mapping[str, str] = {}
    lacking: list[str] = []
    if request.home is None:
        check_places(plan)
    else:
        from airflow_nrt.home.home import Home
        from airflow_nrt.table.reports.load import plan_of_home

        home = Home.checked(request.home, plan, plan_of_home, request.group)
        if home.report_file.exists():
            from airflow_nrt.home.log.history.first_windows import first_windows
            from airflow_nrt.home.notes.first_windows import lacks_earlier, noted_first_windows

            added = home.additions(plan, plan_of_home)
            first = {**noted_first_windows(home), **first_windows(home.log(), added)}
            lacking = [lacks_earlier(name, end) for name, end in first.items()]
    if request.deep:
        _analyse(plan)
    return Findings(0, problems=(), lines=tuple(_lines(plan, added, lacking)))


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


def _lines(plan: Plan, added: Mapping[str, str], gaps: Sequence[str]) -> Iterator[str]:
    for insert, twin in added.items():
        yield f"{insert} is new to the home: the next driver fills it with the windows of {twin}"
    yield from gaps
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
