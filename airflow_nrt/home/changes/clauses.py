"""The differences of two queries clause by clause, and of their results column by column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from airflow_nrt.home.changes.detail import Detail
from airflow_nrt.home.changes.facts import unlike
from airflow_nrt.home.changes.parentheses import without_doubled

Facts = Mapping[str, str]
_ITEM = re.compile(r"(?P<label>(?:.*, )?)SELECT (?P<number>\d+)")
_ALIAS = re.compile(r"(?P<expression>.*) AS (?P<alias>[\w$]+|`[^`]+`)", re.DOTALL)
_STATE = "option result-state"
_COLUMN, _ORDER, _LIST = "column ", "order of columns", "columns"


@dataclass(frozen=True)
class _Item:
    """An item of a SELECT: the name that its column has outside, and its expression."""

    name: str
    expression: str


def differences_of_insert(before: Facts, now: Facts) -> tuple[Detail, ...]:
    """The differences of an insert's facts (`facts.of_insert`), its columns first."""
    named = set(unlike(before, now))
    columns = list(_columns(before, now, named))
    others = [
        Detail(name, _tidied(before.get(name)), _tidied(now.get(name)))
        for name in unlike(before, now)
        if _ITEM.fullmatch(name) is None and not name.startswith(_COLUMN) and name not in (_ORDER, _LIST)
    ]
    if not columns and not others:
        others = [Detail(name, before.get(name), now.get(name)) for name in (_ORDER, _LIST) if name in named]
    return (*columns, *others)


def _columns(before: Facts, now: Facts, named: set[str]) -> Iterator[Detail]:
    """The columns of the sink, then those of the queries inside."""
    labels = dict.fromkeys(match["label"] for name in {**before, **now} if (match := _ITEM.fullmatch(name)) is not None)
    of_table = _items(before, ""), _items(now, "")
    yield from _of_items(*of_table, "")
    shown = {item.name for items in of_table for item in items}
    yield from _types(before, now, shown, _kept(*of_table))
    for label in labels:
        if label:
            yield from _of_items(
                _items(before, label), _items(now, label), label.replace(", ", ".").replace("view ", "")
            )


def _of_items(before: list[_Item], now: list[_Item], label: str) -> Iterator[Detail]:
    was, has = ({item.name: item.expression for item in items} for items in (before, now))
    renamed = _renamed(before, now)
    for item in now:
        old = renamed.get(item.name)
        if old is not None:
            yield Detail(f"{label}column", old, item.name)
        elif item.name not in was:
            yield Detail(f"{label}{item.name}", None, item.expression)
        elif was[item.name] != item.expression:
            yield Detail(f"{label}{item.name}", was[item.name], item.expression)
    for item in before:
        if item.name not in has and item.name not in renamed.values():
            yield Detail(f"{label}{item.name}", "", None)


def _renamed(before: list[_Item], now: list[_Item]) -> dict[str, str]:
    """By name, the earlier name of the column with the same expression at the same place."""
    known, new = {item.name for item in before}, {item.name for item in now}
    return {
        b.name: a.name
        for a, b in zip(before, now)
        if a.expression == b.expression and a.name not in new and b.name not in known
    }


def _kept(before: list[_Item], now: list[_Item]) -> dict[str, str]:
    """The present names of the columns that were there, by the earlier ones."""
    return {old: name for name, old in _renamed(before, now).items()}


def _types(before: Facts, now: Facts, shown: set[str], renamed: Mapping[str, str]) -> Iterator[Detail]:
    for name in unlike(before, now):
        if name.startswith(_COLUMN):
            column = name.removeprefix(_COLUMN)
            later = f"{_COLUMN}{renamed.get(column, column)}"
            types = before.get(name), now.get(later)
            # What comes or goes is shown with its expression.
            if types[0] != types[1] and (column not in shown or None not in types):
                yield Detail(column, *types)


def _items(facts: Facts, label: str) -> list[_Item]:
    """The items of the SELECT with this label. Those of the insert have the names of the table's columns."""
    found = [text for name, text in facts.items() if (m := _ITEM.fullmatch(name)) is not None and m["label"] == label]
    named = facts.get(_LIST) or facts.get(_ORDER, "")
    # The column with the version of a row has no item.
    columns = [one for one in named.split(", ") if one != facts.get(_STATE)] if named and not label else []
    if len(columns) != len(found) or any(text == "*" or text.endswith(".*") for text in found):
        columns = [""] * len(found)
    return [_item(text, column) for text, column in zip(found, columns)]


def _item(text: str, column: str) -> _Item:
    match = _ALIAS.fullmatch(text)
    expression, alias = (match["expression"], match["alias"]) if match is not None else (text, text)
    return _Item(column or alias, without_doubled(expression))


def _tidied(text: str | None) -> str | None:
    return None if text is None else without_doubled(text)
