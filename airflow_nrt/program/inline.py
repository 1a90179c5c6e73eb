"""An inline report, a function in a file with other code: the program of that function alone."""

from __future__ import annotations

import ast
import builtins
import inspect
import symtable
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airflow_nrt.basics.errors import InputError
from airflow_nrt.program.modules import files_with
from airflow_nrt.program.program import BUILD, Program

_MODULE = "nrt_report_"
"""The prefix of the module's name, so that a report may have the name of a module."""


@dataclass(frozen=True)
class InlineReport:
    """`text` is a module with the function `name` alone, each line at its line number in the original file."""

    name: str
    text: str

    def write(self, near: Path, directory: Path) -> Program:
        """The program, put into a directory with the modules that it imports from `near`. Raises InputError."""
        file = directory / f"{_MODULE}{self.name}.py"
        file.write_text(self.text, encoding="utf-8")
        try:
            modules = files_with(file, near)[1:]
        except SyntaxError as wrong:
            raise InputError(f"a module that the report {self.name!r} imports is no Python: {wrong}") from None
        for module in modules:
            copy = directory / module.relative_to(near)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(module.read_bytes())
        return Program(directory, file.stem, self.name)


def inline_report(function: Callable[..., Any]) -> InlineReport:
    """The report that a function defines. It is not called; its own annotations and decorators are left out.

    Raises InputError unless it is a plain function of one parameter that uses nothing from around it.
    """
    name = getattr(function, "__name__", repr(function))
    if name == BUILD:
        raise InputError(f"an inline report is called what its function is called: {BUILD!r} says nothing, rename it")
    parameters = list(inspect.signature(function).parameters.values())
    if len(parameters) != 1 or parameters[0].kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD:
        raise InputError(
            f"a report has one parameter, its environment: write def {name}(t_env), and give other values as settings, "
            "which t_env.get_config().get(KEY, default) answers"
        )
    text = _text_alone(function, name, parameters[0].name)
    outside = _outside(text, name)
    if outside:
        raise InputError(
            f"the report {name!r} runs in a process of its own, but uses what stands outside of it: "
            f"{', '.join(outside)}; import or define it inside of the function, or give values as settings"
        )
    return InlineReport(name, text)


def _text_alone(function: Callable[..., Any], name: str, parameter: str) -> str:
    if not inspect.isfunction(function) or hasattr(function, "__wrapped__"):
        raise InputError(f"the report {name!r} must be a plain function, without decorators but those of its task")
    try:
        lines = inspect.findsource(function)[0]
    except OSError:
        raise InputError(f"the text of the report {name!r} can't be read: define it in a file") from None
    begin = function.__code__.co_firstlineno
    found = [one for one in ast.walk(ast.parse("".join(lines))) if isinstance(one, ast.FunctionDef)]
    node = next((one for one in found if one.name == name and _first_line(one) == begin), None)
    if node is None:
        raise InputError(f"the report {name!r} must be a plain function: write def {name}(t_env)")
    body = lines[_first_line(node.body[0]) - 1 : node.end_lineno]
    if _first_line(node.body[0]) == node.body[0].lineno:
        column = node.body[0].col_offset
        before, after = body[0].encode()[:column], body[0].encode()[column:]
        # A body may begin in the line of its def.
        body[0] = (" " * column if before.strip() else before.decode()) + after.decode()
    return "\n" * (_first_line(node.body[0]) - 2) + f"def {name}({parameter}):\n" + "".join(body)


def _first_line(node: ast.stmt) -> int:
    """The first line of a statement, decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(one.lineno for one in decorators)])


def _outside(text: str, name: str) -> list[str]:
    """The names that a function needs from around it."""
    tables = symtable.symtable(text, name, "exec").get_children()
    used, own = set[str](), {name, *dir(builtins)}
    for table in tables:
        tables += table.get_children()
        for symbol in table.get_symbols():
            # For a function called `top`, Python reports the names that it binds as global as well.
            if symbol.is_global() and not symbol.is_local():
                (own if symbol.is_assigned() or symbol.is_imported() else used).add(symbol.get_name())
    return sorted(used - own)
