"""`airflow-nrt check`: is this report right? What is not is one line each, as compilers say it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from airflow_nrt.cli.common import add_report, read_plan, session
from airflow_nrt.report.cautions import cautions, cautions_of_place
from airflow_nrt.report.modules import file_of
from airflow_nrt.report.places import check_places
from airflow_nrt.report.program import program_of
from airflow_nrt.report.without_effect import without_effect
from airflow_nrt.sql.errors import SettingError, SqlError, SqlErrors


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_report(parser)
    parser.add_argument("--home", metavar="DIR", help="check also whether the report can have its home there")
    parser.add_argument("--deep", action="store_true", help="also run Spark's analysis (starts a Spark session)")


def run(options: argparse.Namespace) -> int:
    try:
        plan = read_plan(options)
    except (SqlError, SqlErrors) as wrong:
        if options.debug:
            raise
        for problem in wrong.problems if isinstance(wrong, SqlErrors) else [wrong]:
            print(_line(options.report, problem), file=sys.stderr)
        if isinstance(wrong, SqlErrors) and wrong.rest:
            print(f"{options.report}: {wrong.rest}", file=sys.stderr)
        return wrong.exit_status
    if options.home is None:
        check_places(plan)
    else:
        from airflow_nrt.report.home import Home
        from airflow_nrt.table.load import plan_of_home

        Home.checked(options.home, plan, plan_of_home)
    if options.deep:
        from airflow_nrt.engine.analysis import analyse

        with session(plan, "local[1]") as spark:
            analyse(spark, plan)
    inserts = ", ".join(insert.name for insert in plan.inserts)
    operators = f"{len(plan.operators)} window operators"
    if plan.updating:
        operators += f", {len(plan.updating)} updating operators"
    for what, why in without_effect(plan).items():
        print(f"{options.report}: {what} has no effect here: {why}")
    for caution in (*cautions(plan), *cautions_of_place(plan)):
        print(f"{options.report}: {caution}")
    print(f"{options.report}: fine ({len(plan.sources)} sources, {operators} → {inserts})")
    return 0


def _line(report: str, problem: SqlError) -> str:
    """`file:line:column: message`."""
    from airflow_nrt.table.places import CodePlace

    if isinstance(problem, SettingError):
        return f"--set: {problem.message}"
    if isinstance(problem.at, CodePlace):
        return f"{problem.at.file}:{problem.at.line}:{problem.at.column}: {problem.message}"
    program = program_of(report, Path.cwd())
    if program is None:
        return f"{report}:{problem.at.line}:{problem.at.column}: {problem.message}"
    return _in_program(file_of(program.module, program.root), problem)


def _in_program(file: Path | None, problem: SqlError) -> str:
    """Of SQL in a program: its place in the file, where the text stands in it as it is."""
    before, found, _ = (file.read_text(encoding="utf-8") if file is not None else "").partition(problem.script or "\0")
    if not found:
        return f"{file}: in its SQL, {problem}"
    column = problem.at.column + (len(before) - before.rfind("\n") - 1 if problem.at.line == 1 else 0)
    return f"{file}:{before.count(chr(10)) + problem.at.line}:{column}: {problem.message}"
