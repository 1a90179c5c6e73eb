"""The answer for `check` about a report (`launch/asking.py`), in the process that may import it."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from airflow_nrt.cli.answers.problems import problem_lines
from airflow_nrt.cli.check import Findings
from airflow_nrt.cli.common import read_report
from airflow_nrt.cli.terminal.stream_lines import counted
from airflow_nrt.describe.cautions import cautions, cautions_of_place
from airflow_nrt.describe.overlaps import check_places
from airflow_nrt.describe.without_effect import without_effect
from airflow_nrt.model.plan import Plan
from airflow_nrt.program.modules import file_of
from airflow_nrt.program.program import program_of
from airflow_nrt.sql.errors import SqlError, SqlErrors
from airflow_nrt.usecases.sessions import needing_spark, session


def answer(question: Mapping[str, Any]) -> dict[str, Any]:
    """`Findings`. Raises InputError for what has no place in the report."""
    try:
        plan = read_report(question)
    except (SqlError, SqlErrors) as wrong:
        if question["debug"]:
            traceback.print_exc()
        program = program_of(question["report"], Path.cwd())
        file = None if program is None else file_of(program.module, program.root)
        lines = tuple(problem_lines(wrong, question["report"], file))
        return asdict(Findings(wrong.exit_status, problems=lines, lines=()))
    added: Mapping[str, str] = {}
    if question["home"] is None:
        check_places(plan)
    else:
        from airflow_nrt.home.home import Home
        from airflow_nrt.table.reports.load import plan_of_home

        home = Home.checked(question["home"], plan, plan_of_home, question["group"])
        added = home.additions(plan, plan_of_home) if home.report_file.exists() else {}
    if question["deep"]:
        _analyse(plan)
    return asdict(Findings(0, problems=(), lines=tuple(_lines(plan, added))))


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


def _lines(plan: Plan, added: Mapping[str, str]) -> Iterator[str]:
    for insert, twin in added.items():
        yield f"{insert} is new to the home: the next driver fills it with the windows of {twin}"
    for what, why in without_effect(plan).items():
        yield f"{what} has no effect here: {why}"
    yield from (*cautions(plan), *cautions_of_place(plan))
    operators = counted(len(plan.operators), "window operator")
    if plan.updating:
        operators += ", " + counted(len(plan.updating), "updating operator")
    sources = counted(len(plan.sources), "source")
    yield f"fine ({sources}, {operators} → {', '.join(insert.name for insert in plan.inserts)})"
