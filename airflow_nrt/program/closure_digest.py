"""What a function captures besides its module's text, as a text that is the same in every process.

def times(factor):                      times(2) and times(3) have one text and are two functions, and so are
    return lambda v: v * factor         Scale(2) and Scale(3), f(v, by=2) and f(v, by=3), and two lambdas of one line
"""

from __future__ import annotations

import copyreg
import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from airflow_nrt.program.modules import OURS, is_installed

_PLAIN = (type(None), bool, int, float, complex, str, type(Ellipsis))
_FIRST_NAMES = {
    "airflow_nrt.basics.types": "airflow_nrt.report.types",
    "airflow_nrt.program.functions": "airflow_nrt.report.functions",
    "airflow_nrt.table.expressions.expression": "airflow_nrt.table.expression",
    "airflow_nrt.table.expressions.expressions": "airflow_nrt.table.expressions",
    "airflow_nrt.table.expressions.function_calls": "airflow_nrt.table.function_calls",
}
"""Modules of this product that have moved, and their earlier names, which homes have: a function that captures a
DataType stays the same."""


def captured(function: Any) -> str:
    """The code, the defaults and the closure of a function; the class and the state of an object.

    Raises ValueError for values that can't be moved to another process, such as a lock or an open file.
    """
    return _text(function, [])


def _text(value: Any, above: list[Any]) -> str:
    """`above` are the values that contain this one: a value inside of itself is not written again."""
    if type(value) in _PLAIN:
        return repr(value)
    if isinstance(value, (bytes, bytearray)):
        return f"{type(value).__name__} {hashlib.sha256(value).hexdigest()}"
    if any(one is value for one in above):
        return "itself"
    return f"{type(value).__qualname__}({', '.join(_parts(value, [*above, value]))})"


def _parts(value: Any, above: list[Any]) -> Iterator[str]:
    if type(value) in (list, tuple):
        yield from (_text(one, above) for one in value)
    elif type(value) in (set, frozenset):
        yield from sorted(_text(one, above) for one in value)
    elif type(value) is dict:
        yield from sorted(f"{_text(key, above)}: {_text(one, above)}" for key, one in value.items())
    elif isinstance(value, CodeType):
        yield value.co_code.hex()
        names = (value.co_names, value.co_varnames, value.co_freevars)
        yield from (_text(one, above) for one in (value.co_consts, *names))
    elif isinstance(value, FunctionType):
        yield from _of_function(value, above)
    elif isinstance(value, MethodType):
        yield from (_text(one, above) for one in (value.__func__, value.__self__))
    elif isinstance(value, (property, staticmethod, classmethod)):
        wrapped = (value.fget, value.fset) if isinstance(value, property) else (value.__func__,)
        yield from (_text(one, above) for one in wrapped)
    elif isinstance(value, type):
        yield from _of_class(value, above)
    elif isinstance(value, ModuleType):
        yield value.__name__
    else:
        yield from _of_object(value, above)


def _of_function(function: FunctionType, above: list[Any]) -> Iterator[str]:
    yield _name_of(function)
    if not _is_library(function.__module__):
        closed = [_content(cell) for cell in function.__closure__ or ()]
        carried = (function.__code__, function.__defaults__, function.__kwdefaults__, closed)
        yield from (_text(one, above) for one in carried)


def _name_of(named: FunctionType | type) -> str:
    return f"{_FIRST_NAMES.get(named.__module__, named.__module__)}.{named.__qualname__}"


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return "not there yet"


def _of_class(kind: type, above: list[Any]) -> Iterator[str]:
    """A class that a function creates captures the values of that function."""
    yield _name_of(kind)
    if not _is_library(kind.__module__):
        yield from (_text(base, above) for base in kind.__bases__)
        for name, one in sorted(vars(kind).items()):
            if isinstance(one, FunctionType) or not (name.startswith("__") or name == "_abc_impl"):
                yield f"{name}={_text(one, above)}"


def _of_object(value: Any, above: list[Any]) -> Iterator[str]:
    """The parts from which pickle would rebuild the object."""
    try:
        known = copyreg.dispatch_table.get(type(value))
        made_of: Any = known(value) if known else value.__reduce_ex__(4)
    except Exception as wrong:
        raise ValueError(
            f"it carries {value!r}, which can't travel to executors ({wrong}): make it in open(), or in the function"
        ) from None
    if isinstance(made_of, str):
        yield made_of
        made_of = (getattr(value, "__wrapped__", None),)
    for one in made_of:
        yield _text(list(one) if isinstance(one, Iterator) else one, above)


def _is_library(module: str | None) -> bool:
    """Whether the name of a module identifies its text: a library, or this product."""
    found = sys.modules.get(module or "__main__")
    if found is None or found.__name__ == "__main__":
        return False
    file = getattr(found, "__file__", None)
    return file is None or found.__name__.partition(".")[0] == OURS or is_installed(Path(file))
