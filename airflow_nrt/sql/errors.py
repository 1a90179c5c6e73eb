"""Errors in the text of a report: they carry the place and show the line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn, TypeVar

from airflow_nrt.basics.errors import InputError
from airflow_nrt.describe.script_secrets import HIDDEN, secret_spans

T = TypeVar("T")

MOST_PROBLEMS = 100
"""Planning stops after this many problems: what comes later mostly follows from them."""
_LONGEST_MESSAGE = 2000
_LONGEST_LINE = 160


@dataclass(frozen=True)
class Place:
    """A place in a script: line and column from 1, and the offset from 0."""

    line: int
    column: int
    offset: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"

    def excerpt(self, script: str | None) -> str:
        """The line of the script with a mark below it and without secrets, nothing where the script is not known.

        Of a long line it is the part around the place.
        """
        lines = (script or "").splitlines(keepends=True)
        if not 1 <= self.line <= len(lines):
            return ""
        line, column = _without_secrets(lines, self.line - 1, self.column - 1)
        first = 0
        if len(line) > _LONGEST_LINE:
            first = max(0, column - _LONGEST_LINE // 2)
            line = line[first : first + _LONGEST_LINE]
        return f"    {line}\n    {' ' * (column - first)}^"


def _without_secrets(lines: Sequence[str], number: int, column: int) -> tuple[str, int]:
    """One of the lines with `***` for its secrets, and where the character at `column` is then."""
    before = sum(map(len, lines[:number]))
    line, pieces, end, at = lines[number].rstrip("\r\n"), [], 0, column
    for start, until in secret_spans("".join(lines)):
        first, last = max(start - before, 0), min(until - before, len(line))
        if first >= last:
            continue
        pieces += [line[end:first], HIDDEN]
        end = last
        if first < column:
            at += len(HIDDEN) - (min(last, column) - first)
    return "".join([*pieces, line[end:]]), at


class SqlError(InputError):
    """Something is wrong with the SQL at a place of the script, which may be the file `report`."""

    report: str | None = None

    def __init__(self, message: str, at: Place, script: str | None = None) -> None:
        self.message = _shortened(message)
        self.at = at
        self.script = script
        super().__init__(self.message)

    def __str__(self) -> str:
        text = f"{_begin(self.report)}{self.at}: {self.message}"
        excerpt = self.at.excerpt(self.script)
        return f"{text}\n{excerpt}" if excerpt else text


def _begin(report: str | None) -> str:
    return f"{report}, " if report else ""


class SettingError(SqlError):
    """A setting that was given beside the script is wrong. Its place is the end of the script."""

    def __str__(self) -> str:
        return self.message


class SqlErrors(InputError):
    """Several things are wrong with a script, which may be the file `report`: the first MOST_PROBLEMS of them."""

    report: str | None = None

    def __init__(self, problems: Sequence[SqlError]) -> None:
        self.problems = tuple(problems[:MOST_PROBLEMS])
        super().__init__(f"{len(self.problems)} problems")

    @property
    def rest(self) -> str:
        """A note about problems that are not among these. Empty if these are all."""
        return "what else is wrong was not looked for" if len(self.problems) >= MOST_PROBLEMS else ""

    def __str__(self) -> str:
        rest = [self.rest] if self.rest else []
        begin = f"{_begin(self.report)}{len(self.problems)} problems:"
        return "\n".join([begin, *map(str, self.problems), *rest])


class Problems:
    """Collects errors, so that a person sees all of them at once: up to MOST_PROBLEMS.

    `reserved` are names that are no error here, and one in Flink.
    """

    def __init__(self, errors: Iterable[SqlError] = ()) -> None:
        self.errors = list(errors)
        self.failed = False
        self.reserved: dict[str, None] = {}

    @property
    def are_enough(self) -> bool:
        return len(self.errors) >= MOST_PROBLEMS

    def attempt(self, step: Callable[[], T]) -> T | None:
        """The result of the step. None if it raised errors, or if there are enough already."""
        if self.are_enough:
            return None
        try:
            return step()
        except SqlError as wrong:
            self.errors.append(wrong)
        except SqlErrors as wrong:
            self.errors += wrong.problems
            self.failed = True
        return None

    def stop(self) -> NoReturn:
        """Raises the errors. SqlErrors without any means that the declaration of a name reported its error already."""
        if len(self.errors) == 1:
            raise self.errors[0]
        raise SqlErrors(self.errors)

    def raise_any(self, script: str | None = None) -> None:
        """Raises SqlError, or SqlErrors where there are several. An error at one place is reported once."""
        distinct = {(one.at, one.message): one for one in self.errors}
        for one in distinct.values():
            one.script = one.script or script
        if len(distinct) == 1:
            raise next(iter(distinct.values()))
        if distinct:
            raise SqlErrors(sorted(distinct.values(), key=lambda one: one.at.offset))
        if self.failed:
            raise SqlErrors(())


@contextmanager
def nesting_of(at: Place) -> Iterator[None]:
    """Raises SqlError at the statement that nests deeper than the stack reaches."""
    try:
        yield
    except RecursionError:
        raise SqlError("this statement nests too deeply", at) from None


def _shortened(message: str) -> str:
    """The message without its middle, where names or texts of a script make it long. The way out is at its end."""
    if len(message) <= _LONGEST_MESSAGE:
        return message
    half = _LONGEST_MESSAGE // 2
    return f"{message[:half]} … {message[-half:]}"


class NotThereYet(SqlError):
    """Flink has it, this project does not have it yet (`docs/reference/sql.md` lists these)."""

    def __init__(self, what: str, at: Place, instead: str = "") -> None:
        super().__init__(f"{what}: not there yet{'; ' + instead if instead else ''}", at)
