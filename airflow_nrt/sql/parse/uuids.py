"""Each UUID() of a report gets a name that no other call has: equal texts are equal nodes, and are planned once.

A name is that of its statement and a number in it, so that what is written elsewhere changes no value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from operator import is_not
from typing import Any, TypeVar

from airflow_nrt.sql.errors import nesting_of
from airflow_nrt.sql.parse import ast, parsed
from airflow_nrt.sql.parse.walk import part_names

T = TypeVar("T")


def calls_uuid(node: Any) -> bool:
    """Whether a node, or one inside it, is a call of UUID()."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, (tuple, list)):
            waiting += one
        elif names := part_names(one):
            if isinstance(one, ast.Uuid) or _is_uuid(one):
                return True
            waiting += [getattr(one, name) for name in names]
    return False


def with_names(node: T, title: str) -> T:
    """The node with names for its calls of UUID(): the title and their number in the text, `into orders 1`."""
    if not calls_uuid(node):
        return node
    numbers = count(1)

    def named(part: Any) -> Any:
        if _is_uuid(part):
            return ast.Uuid(f"{title} {next(numbers)}", part.at)
        if isinstance(part, tuple):
            inside = tuple(map(named, part))
            return inside if any(map(is_not, inside, part)) else part
        parts = {name: getattr(part, name) for name in part_names(part)}
        changed = {name: new for name, old in parts.items() if (new := named(old)) is not old}
        return replace(part, **changed) if changed else part

    result: T = named(node)
    return result


def all_with_names(statements: Sequence[parsed.Statement]) -> Sequence[parsed.Statement]:
    """The statements of a report with names for the calls of UUID() in their queries. Raises SqlError."""
    titles: Counter[str] = Counter()
    named = []
    for statement in statements:
        if isinstance(statement, (parsed.Insert, parsed.CreateView)):
            title = f"view {statement.name}" if isinstance(statement, parsed.CreateView) else f"into {statement.table}"
            titles[title] += 1
            with nesting_of(statement.at):
                statement = with_names(statement, title if titles[title] == 1 else f"{title} #{titles[title]}")
        named.append(statement)
    return named


def _is_uuid(node: Any) -> bool:
    return isinstance(node, ast.Call) and node == ast.Call("UUID", (), node.at)
