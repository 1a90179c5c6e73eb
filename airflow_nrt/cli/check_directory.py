"""`airflow-nrt check DIR`: one verdict per file, how many there are of each, and what keeps files from running."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from airflow_nrt.basics.errors import InputError
from airflow_nrt.cli.common import inquiry_about, print_json, print_lines, settings_of
from airflow_nrt.cli.terminal.colours import Colour, painted
from airflow_nrt.usecases.requests.survey import Outcome

if TYPE_CHECKING:
    from airflow_nrt.usecases.asking import Inquiry
    from airflow_nrt.usecases.survey.refusals import Refusal

_OF_ONE_REPORT = ("home", "group", "deep", "base")
WRONG = 2
MOST_KINDS = 20
COLOURS = {
    Outcome.RUNS: Colour.GOOD,
    Outcome.DIFFERS: Colour.WARNING,
    Outcome.FAILS: Colour.WRONG,
    Outcome.NO_REPORT: Colour.ASIDE,
}


def check_directory(options: argparse.Namespace) -> int:
    """Returns the exit status: 0 if all of them run. Raises InputError if there are none, or for an option of one
    report."""
    from airflow_nrt.usecases.survey.refusals import refusals
    from airflow_nrt.usecases.survey.survey import survey

    given = [f"--{name}" for name in _OF_ONE_REPORT if getattr(options, name)]
    if given:
        raise InputError(f"{given[0]} is for one report, and {options.report} is a directory")
    found = {}
    for file, verdict in survey(Path(options.report), settings_of(options), partial(_inquiry, options)):
        found[str(file)] = verdict
        if not options.json:
            outcome = painted(verdict.of.value, COLOURS[verdict.of], sys.stdout)
            print_lines(f"{file}: {outcome}", *map(_indented, verdict.reasons))
    if not found:
        raise InputError(f"there are no scripts (.sql) and no programs of PyFlink in {options.report}")
    kinds = [verdict.of for verdict in found.values()]
    if options.json:
        counts = Counter(kind.value for kind in kinds)
        files = [{"file": file, "outcome": one.of.value, "reasons": list(one.reasons)} for file, one in found.items()]
        by_kind = {kind.value: counts[kind.value] for kind in Outcome}
        print_json({"files": files, "counts": by_kind, "refused": [*map(asdict, refusals(found.values()))]})
    else:
        table = _table(refusals(found.values())) if kinds.count(Outcome.FAILS) > 1 else ()
        print_lines(*table, painted(summary(kinds), Colour.TITLE, sys.stdout))
    return WRONG if Outcome.FAILS in kinds else 0


def _table(kinds: Sequence[Refusal]) -> Iterator[str]:
    """What keeps several files from running, one line a kind."""
    yield "what keeps files from running, by the number of files:"
    for one in kinds[:MOST_KINDS]:
        times = f" ({one.times} times)" if one.times > one.files else ""
        yield f"{one.files:6}  {one.what}{times}"
    if len(kinds) > MOST_KINDS:
        yield f"        and {len(kinds) - MOST_KINDS} more: --json has all"


def _inquiry(options: argparse.Namespace, file: Path) -> Inquiry:
    """Output of a program is no verdict. Raises InputError for an invalid time limit."""
    return replace(inquiry_about(str(file), options), say=_noise if options.debug else _nothing)


def _noise(line: str) -> None:
    print(line, file=sys.stderr)


def _nothing(line: str) -> None:
    """Drops output that is only for those who run the program."""


def _indented(reason: str) -> str:
    return "\n".join(f"    {line}" for line in reason.splitlines())


def summary(kinds: Iterable[Outcome]) -> str:
    """`3 files: 2 run, 1 does not run`."""
    counts = Counter(kinds)
    parts = [f"{counts[kind]} {_counted(kind, counts[kind])}" for kind in Outcome if counts[kind]]
    total = counts.total()
    return f"{total} file{'' if total == 1 else 's'}: {', '.join(parts)}"


def _counted(kind: Outcome, count: int) -> str:
    verb, _, rest = kind.value.partition(" ")
    several = {"runs": "run", "does": "do", "is": "are"}
    return f"{verb if count == 1 else several[verb]} {rest}".strip()
