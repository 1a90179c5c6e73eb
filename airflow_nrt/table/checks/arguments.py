"""Arguments that are not what a method takes, and names that nothing has: what is told of them, and where."""

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
    """Python asks by AttributeError whether there is a name."""


class NotPython(SqlError, TypeError):
    """Python asks by TypeError whether something can be done with a value."""


def wrong(wanted: str, value: Any) -> SqlError:
    """The error of an argument: `wanted` says which method takes what."""
    return SqlError(f"{wanted}, not {shown(value)}", here())


def shown(value: Any) -> str:
    """A value, as an error calls it."""
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
    """The value. Raises SqlError if it is of none of these kinds."""
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
    """Raises SqlError for an insert that shall replace what is there."""
    if overwrite:
        raise SqlError(
            "there is no overwrite: a report adds to what it has published; airflow-nrt backfill replaces the windows "
            "of a time, and another directory and home begin anew",
            here(),
        )


def no_such_name(what: str, name: str, names: Iterable[str]) -> NoSuchName:
    """The error of a name that is not there, with what stands in its place, or the nearest of those that are."""
    from airflow_nrt.model.options.known import nearest
    from airflow_nrt.table.checks.elsewhere import instead_of

    instead = instead_of(name)
    if instead is not None:
        return NoSuchName(f"{what} {name!r}: {instead}", here())
    spelled = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    known = [one for one in names if not one.startswith("_")]
    hint = f"; did you mean {spelled!r}?" if spelled in known else nearest(name, known)
    return NoSuchName(f"{what} {name!r}{hint}", here())


class Complete:
    """What programs ask for more than it has; `called` is what it is."""

    called = ""

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise no_such_name(f"{self.called} has no", name, {*dir(type(self))} - {"called"})


class Unfinished:
    """Half of something: `unfinished` says what it is, and how it goes on."""

    unfinished = ""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NoSuchName(f"{self.unfinished}, so it has no {name!r}", here())
