"""Errors for wrong arguments and unknown names: the message, and the place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import is_dataclass
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, NoReturn, TypeVar

from airflow_nrt.basics.types import DataType
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.table.checks.call_site import here

T = TypeVar("T")
_LONGEST = 80


class NoSuchName(SqlError, AttributeError):
    """An AttributeError too, by which Python finds out whether a name exists."""


class NotPython(SqlError, TypeError):
    """A TypeError too, by which Python finds out whether a value supports an operation."""


def wrong(wanted: str, value: Any) -> SqlError:
    """The error for an argument: `wanted` says which method takes what."""
    return SqlError(f"{wanted}, not {shown(value)}", here())


def shown(value: Any) -> str:
    """The description of a value in an error."""
    kind = type(value)
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, (FunctionType, MethodType, BuiltinFunctionType)):
        return f"the function {value.__name__} itself"
    if isinstance(value, DataType):
        return f"the type {value}"
    if kind.__module__.startswith("airflow_nrt.") and (is_dataclass(value) or "__repr__" not in vars(kind)):
        return f"this {kind.__name__.strip('_')}"
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def checked(wanted: str, value: Any, *kinds: type[T]) -> T:
    """Returns the value. Raises SqlError if it is of none of these kinds."""
    if not isinstance(value, kinds):
        raise wrong(wanted, value)
    return value


def checked_type(value: Any) -> DataType:
    """Raises SqlError if it is no type."""
    if not isinstance(value, DataType):
        raise wrong("a type is needed, such as DataTypes.INT()", value)
    return value


def checked_name(wanted: str, value: Any) -> str:
    """Raises SqlError if it is no text, or an empty one."""
    if not isinstance(value, str) or not value:
        raise wrong(wanted, value)
    return value


def check_overwrite(overwrite: object) -> None:
    """Raises SqlError for an insert with overwrite."""
    if overwrite:
        raise SqlError(
            "there is no overwrite: a report adds to what it has published; airflow-nrt backfill replaces the windows "
            "of a time, and another directory and home start again",
            here(),
        )


def no_such_name(what: str, name: str, names: Iterable[str]) -> NoSuchName:
    """The error for an unknown name, with what to use instead, or the nearest known name."""
    from airflow_nrt.basics.nearest import nearest
    from airflow_nrt.table.checks.elsewhere import instead_of

    instead = instead_of(name)
    if instead is not None:
        return NoSuchName(f"{what} {name!r}: {instead}", here())
    spelled = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    known = [one for one in names if not one.startswith("_")]
    hint = f"; did you mean {spelled!r}?" if spelled in known else nearest(name, known)
    return NoSuchName(f"{what} {name!r}{hint}", here())


class Complete:
    """A class whose unknown attributes raise an error; `called` is its name in the message."""

    called = ""

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise no_such_name(f"{self.called} has no", name, {*dir(type(self))} - {"called"})


class Unfinished:
    """An incomplete object: `unfinished` says what it is, and how to continue."""

    unfinished = ""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NoSuchName(f"{self.unfinished}, so it has no {name!r}", here())
