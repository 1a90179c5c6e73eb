"""The colour of a verdict about a file, and how many there are of each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from airflow_nrt.cli.terminal.colours import Colour
from airflow_nrt.usecases.requests.survey import Outcome

COLOURS = {
    Outcome.RUNS: Colour.GOOD,
    Outcome.DIFFERS: Colour.WARNING,
    Outcome.FAILS: Colour.WRONG,
    Outcome.NO_REPORT: Colour.ASIDE,
}


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
