"""Functions that build SQL by f-strings, and whether an example shows what they build."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.docs.pages import ROOT

PRODUCT = ROOT / "airflow_nrt"
ROOMS = ("basics", "model", "engine", "sql")
"""Those that build SQL for Spark or for a database."""
_RESULT = re.compile(r"(?<!set\[)\b(str|Typed|Accumulators?)\b")
_SQL = re.compile(
    r"\b(SELECT|INSERT INTO|MERGE|DELETE FROM|CREATE TABLE|CASE|WHEN|CAST|R?LIKE|IN|BETWEEN|OVER|ORDER BY) "
    r"|\bIS (NOT )?NULL| (AS|AND|OR) |<=>|-> |\b[A-Za-z_]+\("
)
_NO_RESULT = re.compile(r"(Error|NotThereYet|Problem)$|\.(info|warning|error|compile|fullmatch)$")
_QUOTED = r'"[^"]*(\(| AS | AND | = | IS )'
_LINE = r"^ *\(?((CASE|CAST|IF|SELECT|INSERT|DELETE|UPDATE|CREATE|MERGE)\b|[a-z_]+\(|`\w+` |_nrt_)"
_EXAMPLE = re.compile(rf">>> |{_QUOTED}|{_LINE}", re.MULTILINE)


@dataclass(frozen=True)
class Builder:
    """A function that builds SQL, by its module and its name there: `Dialect.type_of`."""

    module: str
    name: str
    has_example: bool

    def __str__(self) -> str:
        return f"{self.module}:{self.name}"


def builders() -> Iterator[Builder]:
    for room in ROOMS:
        for path in sorted((PRODUCT / room).rglob("*.py")):
            yield from _builders_in(path)


def _builders_in(path: Path) -> Iterator[Builder]:
    """A function has an example if its docstring has one, or that of the function around it, or that of one in its
    module which calls it, itself or by others."""
    functions = dict(_functions(ast.parse(path.read_text(encoding="utf-8")), ""))
    shown = {name for name, node in functions.items() if _EXAMPLE.search(ast.get_docstring(node) or "")}
    left = [*shown]
    while left:
        used = _names_in(functions[left.pop()])
        more = {name for name in functions if name.rpartition(".")[2] in used} - shown
        shown |= more
        left += more
    for name, node in functions.items():
        if node.returns is not None and _RESULT.search(ast.unparse(node.returns)) and _builds_sql(node):
            yield Builder(path.relative_to(PRODUCT).as_posix(), name, name in shown)


def _functions(node: ast.AST, above: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    for one in ast.iter_child_nodes(node):
        if isinstance(one, ast.FunctionDef):
            yield f"{above}{one.name}", one
        is_named = isinstance(one, (ast.FunctionDef, ast.ClassDef))
        yield from _functions(one, f"{above}{one.name}." if is_named else above)  # type: ignore[attr-defined]


def _names_in(function: ast.FunctionDef) -> set[str]:
    """The names that a function or its example reads, and of the functions in it."""
    nodes = [*ast.walk(function)]
    names = {one.id for one in nodes if isinstance(one, ast.Name)}
    names |= {*re.findall(r"\w+", " ".join(re.findall(r">>> (.*)", ast.get_docstring(function) or "")))}
    inside = {one.name for one in nodes if isinstance(one, ast.FunctionDef) and one is not function}
    return names | inside | {one.attr for one in nodes if isinstance(one, ast.Attribute)}


def _builds_sql(node: ast.AST) -> bool:
    """Whether there is an f-string with SQL, but for messages, and for those of functions inside."""
    for one in ast.iter_child_nodes(node):
        if isinstance(one, (ast.FunctionDef, ast.Raise)):
            continue
        if isinstance(one, ast.Call) and _NO_RESULT.search(ast.unparse(one.func)):
            continue
        if isinstance(one, ast.JoinedStr) and _SQL.search(_fixed(one)):
            return True
        if _builds_sql(one):
            return True
    return False


def _fixed(text: ast.JoinedStr) -> str:
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "x" for part in text.values)
