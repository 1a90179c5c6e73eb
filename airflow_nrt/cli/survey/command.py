"""`airflow-nrt check DIR`: one verdict per file, and how many there are of each kind."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from airflow_nrt.basics.errors import InputError, NrtError
from airflow_nrt.cli.common import print_lines, settings_of
from airflow_nrt.cli.survey.files import files_below
from airflow_nrt.cli.survey.verdict import Kind, Verdict, summary
from airflow_nrt.cli.terminal.colours import Colour, painted

_OF_ONE_REPORT = ("home", "group", "deep", "base")
WRONG = 2


def survey(options: argparse.Namespace) -> int:
    """Returns the exit status: 0 if all of them run. Raises InputError if there are none, or for an option of one
    report."""
    given = [f"--{name}" for name in _OF_ONE_REPORT if getattr(options, name)]
    if given:
        raise InputError(f"{given[0]} is for one report, and {options.report} is a directory")
    kinds = []
    for file in files_below(Path(options.report)):
        verdict = _verdict_of(file, options)
        kinds.append(verdict.of)
        print_lines(
            f"{file}: {painted(verdict.of.words, verdict.of.colour, sys.stdout)}", *map(_indented, verdict.reasons)
        )
    if not kinds:
        raise InputError(f"there are no scripts (.sql) and no programs of PyFlink in {options.report}")
    print_lines(painted(summary(kinds), Colour.TITLE, sys.stdout))
    return WRONG if Kind.FAILS in kinds else 0


def _verdict_of(file: Path, options: argparse.Namespace) -> Verdict:
    """Raises InputError for an invalid time limit."""
    from airflow_nrt.launch.asking import Inquiry, ask, facts

    way_out = "give it more with --time-limit SECONDS"
    inquiry = Inquiry(f"the report {file}", options.time_limit, way_out, _noise if options.debug else _nothing)
    question = {"file": str(file), "settings": settings_of(options).to_json()}
    try:
        return facts(ask("airflow_nrt.cli.answers.verdict", question, inquiry), Verdict)
    except NrtError as failed:
        return Verdict(Kind.FAILS.name, (f"{file}: {failed}",))


def _noise(line: str) -> None:
    """Output of a program is no verdict."""
    print(line, file=sys.stderr)


def _nothing(line: str) -> None:
    """Drops output that is only for those who run the program."""


def _indented(reason: str) -> str:
    return "\n".join(f"    {line}" for line in reason.splitlines())
