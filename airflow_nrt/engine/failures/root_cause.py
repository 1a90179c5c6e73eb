"""Exceptions of Spark and Java: the chain of causes, each with Spark's details."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]

_CONDITION = re.compile(r"\[([A-Z][A-Z_0-9.]+)\] ([^\n]*)")
_STATE = re.compile(r" SQLSTATE: (\w+)$")
_CAUSE = re.compile(r"Caused by: ([\w.$]+): ([^\n]+)")
_MOST_CAUSES = 20


@dataclass(frozen=True)
class Piece:
    """The characters of a SQL text from `start` up to `stop`."""

    sql: str
    start: int
    stop: int


@dataclass(frozen=True)
class Thrown:
    """One exception, of Java or of Python.

    `condition` is Spark's name of the error, `parameters` are the values in its message, `pieces` the parts of SQL that
    caused it. Only some exceptions of Spark have them.
    """

    kind: str
    message: str
    condition: str = ""
    parameters: Mapping[str, str] | None = None
    state: str = ""
    pieces: tuple[Piece, ...] = ()

    def given(self, name: str) -> str:
        """The value with this name in Spark's message, '' if there is none."""
        return (self.parameters or {}).get(name, "")


def chain_of(failure: BaseException) -> tuple[Thrown, ...]:
    """The failure and its causes; the last one is the root."""
    origin = getattr(failure, "_origin", None) or getattr(failure, "java_exception", None)
    try:
        text = str(failure)
        found = list(_of_java(origin)) if origin is not None else [_of_python(failure)]
    except (Py4JError, OSError) as gone:
        # Java has ended since, and can't answer.
        return (_of_python(gone),)
    if not any(one.condition for one in found):
        # An exception of a task may be only in the text of a stage's failure.
        for name, message in _CONDITION.findall(text):
            state = _STATE.search(message)
            found.append(Thrown("", _STATE.sub("", message), name, state=state.group(1) if state else ""))
    if origin is None:
        found += [Thrown(kind, message) for kind, message in _CAUSE.findall(text)]
        if failure.__cause__ is not None:
            found += chain_of(failure.__cause__)
    return tuple(found)


def _of_python(failure: BaseException) -> Thrown:
    if not isinstance(failure, OSError):
        return Thrown(type(failure).__name__, str(failure))
    # For a rename this is the target.
    path = failure.filename2 or failure.filename
    return Thrown(type(failure).__name__, str(failure), parameters={"path": str(path)} if path else None)


def _of_java(exception: Any) -> Iterator[Thrown]:
    for _ in range(_MOST_CAUSES):
        if exception is None:
            return
        yield _thrown(exception)
        exception = exception.getCause()


def _thrown(exception: Any) -> Thrown:
    kind, message = str(exception.getClass().getName()), str(exception.getMessage() or "")
    try:
        condition = exception.getCondition()
        if condition is None:
            return Thrown(kind, message)
        parameters, state = dict(exception.getMessageParameters()), str(exception.getSqlState() or "")
    except Py4JError:
        # Not an exception of Spark's own.
        return Thrown(kind, message)
    return Thrown(kind, _plain(message), str(condition), parameters, state, tuple(_pieces(exception)))


def _plain(message: str) -> str:
    """The message without its condition, and without what Spark appends to it."""
    first = message.split("\n", 1)[0]
    return _STATE.sub("", re.sub(r"^\[[A-Z_0-9.]+\] *", "", first))


def _pieces(exception: Any) -> Iterator[Piece]:
    try:
        for context in exception.getQueryContext():
            sql, start, stop = context.sqlText(), context.originStartIndex(), context.originStopIndex()
            if sql.isDefined() and start.isDefined() and stop.isDefined():
                yield Piece(str(sql.get()), int(start.get()), int(stop.get()) + 1)
    except Py4JError:
        # Another version of Spark has other methods: then there is no place.
        return
