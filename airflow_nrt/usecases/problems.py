"""The problems of a report in the format of compilers: `file:line:column: message`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from airflow_nrt.sql.errors import SettingError, SqlError, SqlErrors


def problem_lines(wrong: SqlError | SqlErrors, report: str, program: Path | None) -> Iterator[str]:
    """One line for each problem. `program` is the file of a report in Python, None for a script."""
    for problem in wrong.problems if isinstance(wrong, SqlErrors) else (wrong,):
        yield _line(problem, report, program)
    if isinstance(wrong, SqlErrors) and wrong.rest:
        yield f"{report}: {wrong.rest}"


def _line(problem: SqlError, report: str, program: Path | None) -> str:
    from airflow_nrt.table.checks.call_site import CodePlace

    if isinstance(problem, SettingError):
        return f"--set: {problem.message}"
    if isinstance(problem.at, CodePlace):
        return f"{problem.at.file}:{problem.at.line}:{problem.at.column}: {problem.message}"
    if program is None:
        return f"{report}:{problem.at.line}:{problem.at.column}: {problem.message}"
    return _in_program(program, problem)


def _in_program(file: Path, problem: SqlError) -> str:
    """A problem in the SQL of a program: its place in the file, if the file has the SQL verbatim."""
    before, found, _ = file.read_text(encoding="utf-8").partition(problem.script or "\0")
    if not found:
        return f"{file}: in its SQL, {problem}"
    column = problem.at.column + (len(before) - before.rfind("\n") - 1 if problem.at.line == 1 else 0)
    return f"{file}:{before.count(chr(10)) + problem.at.line}:{column}: {problem.message}"
