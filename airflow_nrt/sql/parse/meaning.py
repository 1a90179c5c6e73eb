"""The meaning of a query: a text for each clause. Queries with equal texts have equal results.

Blanks, comments and the aliases of tables are left out. Everything else in the syntax tree is in the texts, because
fields without a rule below are written as they are. A query inside another has clauses of its own, whose names begin
with its name there: `view hourly, WHERE`, `query 1, FROM`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Any

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import DataType
from airflow_nrt.sql.parse import ast, parsed
from airflow_nrt.sql.parse.unparse import text_of

Clause = tuple[str, str]
Views = Mapping[str, parsed.CreateView]


def meaning_of(query: ast.Query, views: Views) -> tuple[Clause, ...]:
    """The clauses of a query, and those of the views that it reads."""
    return tuple(_Clauses(views).of_query(query, "", {}, {}))


def words_of(node: ast.Expression) -> str:
    """The text of an expression over the columns of one table."""
    return _bare(_Words(_Clauses({}), "", {}, {}).of(node))


@dataclass(frozen=True)
class _Named:
    """A query with a name. `ctes` are the queries of WITH that it can read."""

    columns: tuple[str, ...]
    query: ast.Query
    ctes: Mapping[str, _Named]


Ctes = Mapping[str, _Named]


class _Clauses:
    def __init__(self, views: Views) -> None:
        self.views = views

    def of_query(self, query: ast.Query, label: str, ctes: Ctes, outer: Mapping[str, str]) -> Iterator[Clause]:
        """The clauses of a query. `outer` are the aliases of the outer queries, with the texts that replace them."""
        if isinstance(query, ast.Values):
            yield f"{label}VALUES", _Words(self, label, ctes, outer).of(query.rows)
            return
        for name, columns, one in query.ctes:
            ctes = {**ctes, name: _Named(columns, one, ctes)}
        aliases = {**outer, **_aliases(query.relation)} if isinstance(query, ast.Select) else outer
        words = _Words(self, label, ctes, aliases)
        if isinstance(query, ast.SetOperation):
            operation = f"{query.operator}{' ALL' if query.all else ''}"
            yield f"{label}set operation", operation
            for number, side in enumerate((query.left, query.right), 1):
                yield from self.of_query(side, f"{label}{operation} {number}, ", ctes, outer)
        else:
            yield from _select(query, words)
        for name, part in (("ORDER BY", query.order), ("LIMIT", query.limit), ("OFFSET", query.offset)):
            if part:
                yield f"{label}{name}", _bare(words.of(part))
        yield from words.queries()


def _select(select: ast.Select, words: _Words) -> Iterator[Clause]:
    label = words.label
    if select.distinct:
        yield f"{label}SELECT", "DISTINCT"
    for number, item in enumerate(select.items, 1):
        alias = f" AS {item.alias}" if item.alias else ""
        yield f"{label}SELECT {number}", _bare(words.of(item.expression)) + alias
    if select.relation is not None:
        yield f"{label}FROM", words.of(select.relation)
    windows = tuple(f"{name} AS {words.of(over)}" for name, over in select.windows)
    for name, part in (("WHERE", select.where), ("GROUP BY", select.group), ("HAVING", select.having)):
        if part is not None:
            yield f"{label}{name}", _bare(words.of(part))
    if windows:
        yield f"{label}WINDOW", ", ".join(windows)


def _aliases(relation: ast.Relation | None) -> dict[str, str]:
    """The texts that replace the aliases of a FROM. They are empty if there is one table."""
    if relation is None:
        return {}
    relations = list(_joined(relation))
    if len(relations) == 1:
        return dict.fromkeys(map(_alias, relations), "")
    tables = [one.name if isinstance(one, (ast.TableName, ast.TableVersion)) else "" for one in relations]
    shown = (name if tables.count(name) == 1 and name else f"{name}#{n}" for n, name in enumerate(tables, 1))
    return dict(zip(map(_alias, relations), shown))


def _joined(relation: ast.Relation) -> Iterator[ast.Relation]:
    if isinstance(relation, ast.Join):
        yield from _joined(relation.left)
        yield from _joined(relation.right)
    else:
        yield relation


def _alias(relation: Any) -> str:
    return relation.alias or (relation.name if isinstance(relation, (ast.TableName, ast.TableVersion)) else "")


_SIDES = {False: "PRECEDING", True: "FOLLOWING"}


class _Words:
    """Writes the nodes of one SELECT, and collects the queries inside it."""

    def __init__(self, clauses: _Clauses, label: str, ctes: Ctes, aliases: Mapping[str, str]) -> None:
        self.clauses = clauses
        self.label = label
        self.ctes = ctes
        self.aliases = aliases
        self._inside: dict[str, _Named] = {}
        self._places = 0

    def queries(self) -> Iterator[Clause]:
        """The clauses of the queries inside. One without a name can read the aliases of this SELECT."""
        for label, named in self._inside.items():
            # If both queries have one table, neither table has a name, so `outer` distinguishes them.
            sees = self.aliases if named.ctes is self.ctes else {}
            outer = {alias: f"outer {name}".rstrip() for alias, name in sees.items()}
            yield from self.clauses.of_query(named.query, f"{self.label}{label}, ", named.ctes, outer)

    def of(self, node: Any) -> str:
        match node:
            case None | str() | int():
                return str(node)
            case tuple():
                return ", ".join(f"({self.of(one)})" if isinstance(one, tuple) else self.of(one) for one in node)
            case DataType():
                return str(node)
            case ast.Name(parts):
                return ".".join(self._resolved(parts))
            case ast.Star(table):
                shown = self.aliases.get(table, table) if table else ""
                return f"{shown}.*" if shown else "*"
            case ast.Literal() | ast.Interval() | ast.Keyword():
                return text_of(node) + self._rest(node, "kind", "text", "unit", "to_unit")
            case ast.Unary(operator, operand):
                return f"({operator} {self.of(operand)})"
            case ast.Binary(operator, left, right):
                return f"({self.of(left)} {operator} {self.of(right)})"
            case ast.Cast(operand, kind, fails):
                return f"{'CAST' if fails else 'TRY_CAST'}({_bare(self.of(operand))} AS {kind})"
            case ast.Call(name, arguments, _, distinct):
                shown = f"{name}({'DISTINCT ' if distinct else ''}{self.of(arguments)})"
                over = f" OVER {self.of(node.over)}" if node.over is not None else ""
                return shown + over + self._rest(node, "name", "arguments", "distinct", "over")
            case ast.Descriptor(columns):
                return f"DESCRIPTOR({self.of(columns)})"
            case ast.Named(name, value):
                return f"{name} => {self.of(value)}"
            case ast.TableArgument(relation):
                return f"TABLE {self.of(relation)}{self._rest(node, 'relation')}"
            case ast.OrderItem(expression, descending):
                rest = self._rest(node, "expression", "descending")
                return f"{_bare(self.of(expression))}{' DESC' if descending else ''}{rest}"
            case ast.Frame(unit, low, high):
                return f"{unit} BETWEEN {self.of(low)} AND {self.of(high)}"
            case ast.Bound(value, following):
                end = "UNBOUNDED" if value is None else self.of(value)
                return "CURRENT ROW" if (end, following) == ("0", True) else f"{end} {_SIDES[following]}"
            case ast.Over(partition, order, frame):
                keys = f"PARTITION BY {self.of(partition)}" if partition else ""
                by = f"ORDER BY {self.of(order)}" if order else ""
                parts = (keys, by, self.of(frame) if frame is not None else "")
                rest = self._rest(node, "partition", "order", "frame")
                return f"({' '.join(part for part in parts if part)}){rest}"
            case ast.Grouping("key", ((key,),)):
                return _bare(self.of(key))
            case ast.Select() | ast.SetOperation() | ast.Values():
                return self._query("query", node)
            case _ if is_dataclass(node):
                return self._relation(node)
        raise AssertionError(f"no words for {node!r}")

    def _relation(self, node: Any) -> str:
        """The text of a FROM, or of any other node by its fields."""
        match node:
            case ast.TableName(name):
                # Its alias is in the names of columns, its OPTIONS are in the facts of the table.
                return self._table(name)
            case ast.TableVersion(name, time):
                return f"{name} AS OF {self.of(time)}"
            case ast.Derived(query):
                return self._query("subquery", query) + self._rest(node, "query", "alias")
            case ast.FunctionTable(call):
                return self.of(call)
            case ast.Join(kind, left, right, condition, using):
                on = f" ON {_bare(self.of(condition))}" if condition is not None else ""
                shared = f" USING ({', '.join(using)})" if using else ""
                rest = self._rest(node, "kind", "left", "right", "condition", "using")
                return f"{self.of(left)} {kind} JOIN {self.of(right)}{on}{shared}{rest}"
            case ast.Lateral(expression):
                return f"{self.of(expression)}{self._rest(node, 'expression', 'alias')}"
        return f"{type(node).__name__.upper()}({self._given(node, ())})"

    def _resolved(self, parts: tuple[str, ...]) -> tuple[str, ...]:
        stands_for = self.aliases.get(parts[0]) if len(parts) > 1 else None
        written = tuple(part if part.isidentifier() else quote(part) for part in parts)
        if stands_for is None:
            return written
        return (stands_for, *written[1:]) if stands_for else written[1:]

    def _table(self, name: str) -> str:
        if name in self.ctes:
            return self._named(f"WITH {name}", self.ctes[name])
        if name in self.clauses.views:
            view = self.clauses.views[name]
            return self._named(f"view {name}", _Named(view.columns, view.query, {}))
        return name

    def _named(self, label: str, named: _Named) -> str:
        self._inside[label] = named
        return label.partition(" ")[2] + (f"({', '.join(named.columns)})" if named.columns else "")

    def _query(self, word: str, query: ast.Query) -> str:
        self._places += 1
        label = f"{word} {self._places}"
        self._inside[label] = _Named((), query, self.ctes)
        return f"({label})"

    def _rest(self, node: Any, *written: str) -> str:
        """The text of the fields that no rule has written."""
        given = self._given(node, written)
        return f" {{{given}}}" if given else ""

    def _given(self, node: Any, written: Iterable[str]) -> str:
        values = ((field, getattr(node, field.name)) for field in fields(node) if field.name not in written)
        written_out = (
            f"{field.name}: {_bare(self.of(value))}"
            for field, value in values
            if field.compare and value != (field.default if field.default is not MISSING else None) and value != ()
        )
        return ", ".join(written_out)


def _bare(text: str) -> str:
    """The text without parentheses around all of it."""
    if not text.startswith("(") or not text.endswith(")"):
        return text
    depth = 0
    for index, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0:
            return text[1:-1] if index == len(text) - 1 else text
    return text
