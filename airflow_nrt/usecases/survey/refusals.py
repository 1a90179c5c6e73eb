"""What keeps the files of a directory from running, counted by kind: reasons that differ only in a script's own names
are one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from airflow_nrt.usecases.requests.survey import FileVerdict, Outcome

_PLACE = re.compile(r"^.*?:\d+:\d+: |^/[^:]*: |^--set: ")
_SUBJECT = re.compile(r"^(?:(?:table|view) '[^']*'|the report .*? can't be planned): ")
_QUOTED = r"'(?:[^']|'')*'"
_BEGIN = re.compile(rf"(?:{_QUOTED}|\([^()]*\)|[^:;])+")
"""Up to the way out, which follows a colon or a semicolon."""
_OWN_NAME = re.compile(rf"\b(columns?|table or view|table|view|alias|function of Python) {_QUOTED}")


@dataclass(frozen=True)
class Refusal:
    """A kind of reason: how many files have it, and how many times it is among their reasons."""

    what: str
    files: int
    times: int


def refusals(verdicts: Iterable[FileVerdict]) -> list[Refusal]:
    """The kinds of reasons of the files that do not run, that of the most files first."""
    files: Counter[str] = Counter()
    times: Counter[str] = Counter()
    for verdict in verdicts:
        if verdict.of is Outcome.FAILS:
            kinds = [kind_of(reason) for reason in verdict.reasons]
            times.update(kinds)
            files.update(set(kinds))
    found = [Refusal(what, count, times[what]) for what, count in files.items()]
    return sorted(found, key=lambda one: (-one.files, -one.times, one.what))


def kind_of(reason: str) -> str:
    """
    >>> kind_of("jobs/a.sql:3:1: table 'clicks': there is no connector 'pulsar'; there are 'filesystem', 'kafka'")
    "there is no connector 'pulsar'"
    >>> kind_of("a.sql:7:9: there is no column 'shp'; did you mean 'shop'?")
    "there is no column '…'"
    """
    message = _SUBJECT.sub("", _PLACE.sub("", reason.partition("\n")[0]))
    begin = _BEGIN.match(message)
    return _OWN_NAME.sub(r"\1 '…'", begin[0].strip() if begin else message)
