"""The steps of a query as a report writes them: read from its syntax, with the operators that planning made of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from airflow_nrt.model.operators import Regroup, WindowAggregate
from airflow_nrt.model.plan import Insert
from airflow_nrt.model.steps import Fact, Step
from airflow_nrt.model.updating import (
    RecentRows,
    RowsAtEnd,
    Updating,
    UpdatingAggregate,
    UpdatingJoin,
    UpdatingRows,
    UpdatingSessions,
)
from airflow_nrt.sql.aggregates.distinct import above_all
from airflow_nrt.sql.errors import Place
from airflow_nrt.sql.expressions.aggregates import contains_aggregate
from airflow_nrt.sql.over.named_windows import written_out
from airflow_nrt.sql.parse import ast, parsed
from airflow_nrt.sql.parse.unparse import order_text, over_text, text_of
from airflow_nrt.sql.parse.walk import children, conjuncts, unqualified
from airflow_nrt.sql.relations.column_demand import Around
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.ranking import RANKINGS, has_over
from airflow_nrt.sql.relations.tvf import read_windowing

Ref = str | int
Operator = WindowAggregate | Regroup | Updating
Ctes = Mapping[str, tuple[ast.Query, Mapping[str, Any]]]
"""What WITH names, each with what its query can read."""


@dataclass(frozen=True)
class _Rows:
    """What stands behind FROM: a table or a step, and the window that is taken of it there."""

    of: Ref
    alias: str | None = None
    window: str | None = None


class Steps:
    """Walks one query, through views and subqueries. Each view is told once, wherever it is read."""

    def __init__(self, views: Mapping[str, parsed.CreateView], found: Findings, inputs: Iterable[str]) -> None:
        self.views = views
        self.places = found.planned
        known: dict[str, Operator] = {one.name: one for one in (*found.operators, *found.regroups, *found.updating)}
        self.operators = {name: known[name] for name in _below(inputs, known)}
        self.found: list[Step] = []
        self.windows: dict[Ref, str] = {}
        self._known: dict[int, Ref] = {}

    def query(self, node: ast.Query, ctes: Ctes) -> Ref:
        if isinstance(node, ast.Values):
            return "VALUES"
        for name, _, query in node.ctes:
            ctes = {**ctes, name: (query, ctes)}
        if isinstance(node, ast.Select):
            of = self._select(node, ctes)
        else:
            sides = [self.query(side, ctes) for side in (node.left, node.right)]
            does = f"{node.operator.lower()}{' all' if node.all else ''}"
            numbering = (UpdatingRows,) if node.all else ()
            of = self._add(Step(does, tuple(sides), (), self._at(node.at, *numbering, UpdatingAggregate)))
        if node.limit is not None or node.offset is not None or node.order:
            order: list[Fact] = [("order_by", order_text(node.order))] if node.order else []
            counts = (("limit", node.limit), ("offset", node.offset))
            limit: list[Fact] = [(name, text_of(count)) for name, count in counts if count is not None]
            operators = self._at(node.at, UpdatingRows) if limit else self._waiting(node.at)
            of = self._add(Step("limit" if limit else "sort", (of,), (*order, *limit), operators))
        return of

    # ------------------------------------------------------------------ FROM

    def _relation(self, node: ast.Relation | None, ctes: Ctes) -> _Rows:
        match node:
            case ast.TableName():
                return self._table(node, ctes)
            case ast.Derived():
                return _Rows(self._called(self.query(node.query, ctes), node.alias), node.alias)
            case ast.FunctionTable():
                windowing = read_windowing(node.call)
                below = self._whole(self._relation(windowing.relation, ctes))
                by = f", sessions by {', '.join(map(text_of, windowing.partition))}" if windowing.partition else ""
                window = f"{windowing.window} over {text_of(windowing.timecol)}{by}"
                changing = self._at(node.call.at, UpdatingSessions)
                if changing:
                    of = self._add(Step("window", (below,), (("window", window),), changing), node.alias)
                    return _Rows(of, node.alias)
                return _Rows(below, node.alias, window)
            case ast.Join():
                return _Rows(self._join(node, ctes))
            case ast.Lateral():
                return _Rows(text_of(node.expression), node.alias)
        return _Rows("nothing")

    def _table(self, node: ast.TableName, ctes: Ctes) -> _Rows:
        alias = node.alias or node.name
        if node.name in ctes:
            query, known = ctes[node.name]
        elif node.name in self.views:
            query, known = self.views[node.name].query, {}
        else:
            return _Rows(self._scan(node), alias)
        if id(query) not in self._known:
            self._known[id(query)] = self._called(self.query(query, known), node.name)
        return _Rows(self._known[id(query)], alias)

    def _scan(self, node: ast.TableName) -> Ref:
        """A table by its name, or the step that makes a table of rows that change."""
        title = f"{node.name} AS {node.alias}" if node.alias else node.name
        for name in self._at(node.at, UpdatingRows, UpdatingAggregate):
            operator = self.operators[name]
            keys = tuple(operator.written.of(field.name) or field.name for field in operator.keys)
            if isinstance(operator, UpdatingRows):
                return self._add(Step("newest rows", (title,), (("of_each", keys),), (name,)), node.alias or node.name)
            return self._add(Step("changes", (title,), (), (name,)), node.alias or node.name)
        return title

    def _join(self, node: ast.Join, ctes: Ctes) -> Ref:
        rows = self._relation(node.left, ctes)
        left = self._whole(rows)
        if isinstance(node.right, ast.Lateral):
            call = f"{node.kind} {text_of(node.right.expression)}"
            return self._add(Step("lateral", (left,), (("call", call),)))
        others = self._relation(node.right, ctes)
        sides = (self._titled(left, rows.alias), self._titled(self._whole(others), others.alias))
        facts: list[Fact] = [("kind", node.kind)]
        if node.condition is not None:
            facts.append(("on", text_of(node.condition)))
        if node.using or node.natural:
            facts.append(("using", node.using or "all columns of one name"))
        operators = self._at(node.at, UpdatingJoin)
        window = self.windows.get(left) if not operators else None
        if window is not None:
            facts.append(("in", f"the same window, {window}"))
        of = self._add(Step("window join" if window else "join", sides, tuple(facts), operators))
        if window is not None:
            self.windows[of] = window
        return of

    def _whole(self, rows: _Rows) -> Ref:
        """The rows with their window as a step of its own."""
        if rows.window is None:
            return rows.of
        of = self._add(Step("window", (rows.of,), (("window", rows.window),), self._keeping(rows)), rows.alias)
        self.windows[of] = rows.window
        return of

    def _titled(self, of: Ref, alias: str | None) -> Ref:
        """A step with the alias by which the query around it speaks of it, where that is another than its own."""
        called = self.found[of - 1].called if isinstance(of, int) else None
        return of if called is None or alias in (None, called) else f"step {of} ({called}) AS {alias}"

    def _keeping(self, rows: _Rows) -> tuple[str, ...]:
        """The operator that keeps the rows of a windowing function until their windows are complete."""
        kept = [
            name
            for name, one in self.operators.items()
            if isinstance(one, WindowAggregate) and one.keeps_rows and not one.frames
            if (rows.window or "").startswith(str(replace(one.window, zone=None)))
            if isinstance(rows.of, int) or one.input.inputs == (rows.of.partition(" AS ")[0],)
        ]
        return tuple(kept) if len(kept) == 1 else ()

    # ------------------------------------------------------------------ SELECT

    def _select(self, node: ast.Select, ctes: Ctes) -> Ref:
        node = written_out(above_all(node))
        rows = self._relation(node.relation, ctes)
        parts = list(conjuncts(node.where)) if node.where is not None else []
        if rows.window is None and isinstance(node.relation, ast.Derived):
            # Others may ask for more of a view.
            parts = self._limited(rows.of, node, parts)
        inner = [self.query(one, ctes) for part in parts for one in _subqueries(part)]
        of: list[Ref] = [self._titled(rows.of, rows.alias), *inner]
        facts: list[Fact] = [("window", rows.window)] if rows.window else []
        if parts:
            where = _together(parts)
            for one in inner:
                where = where.replace("(…)", f"(step {one})" if isinstance(one, int) else f"({one})", 1)
            facts.append(("where", where))
        sliding = tuple(name for part in parts for name in self._at(part.at, RecentRows, UpdatingJoin))
        items = [item for item in node.items if not isinstance(item.expression, (ast.Name, ast.Star)) or item.alias]
        if node.group is not None or contains_aggregate(node) or node.distinct:
            return self._aggregate(node, rows, of, facts, sliding)
        overs = [item for item in items if has_over(item.expression)]
        gives = tuple(_item(item) for item in items if item not in overs and _is_computed(item))
        if gives:
            facts.append(("gives", gives))
        if overs:
            return self._over(rows, overs, of, facts, sliding)
        if not facts:
            return rows.of
        if set(dict(facts)) == {"window"}:
            return self._whole(rows)
        return self._passed(self._add(Step("filter" if parts else "select", tuple(of), tuple(facts), sliding)), rows)

    def _aggregate(
        self, node: ast.Select, rows: _Rows, of: list[Ref], facts: list[Fact], operators: tuple[str, ...]
    ) -> Ref:
        group = tuple(_grouping(one) for one in node.group or ())
        if node.distinct and not group:
            group = tuple(_item(item) for item in node.items)
        if group:
            facts.append(("group_by", group))
        gives = tuple(_item(item) for item in node.items if not isinstance(item.expression, ast.Name))
        if gives and not node.distinct:
            facts.append(("gives", gives))
        if node.having is not None:
            facts.append(("having", text_of(node.having)))
        texts = " ".join(
            [
                *(text_of(unqualified(item.expression, rows.alias)) for item in node.items),
                text_of(unqualified(node.having, rows.alias)) if node.having is not None else "",
            ]
        )
        older = [key.at for one in node.group or () for keys in one.sets for key in keys if isinstance(key, ast.Call)]
        kinds = (WindowAggregate, Regroup, UpdatingAggregate, UpdatingSessions)
        asked = [name for at in (node.at, *older) for name in self._at(at, *kinds)]
        operators += tuple(name for name in dict.fromkeys(asked) if self._computes(name, texts))
        step = Step("distinct" if node.distinct else "aggregate", tuple(of), tuple(facts), operators)
        ref = self._passed(self._add(step), rows)
        if any(isinstance(self.operators[name], UpdatingAggregate) for name in operators):
            self.windows.pop(ref, None)
        return ref

    def _computes(self, name: str, texts: str) -> bool:
        """Whether an operator computes something of these texts; it may compute more, for others that share it."""
        operator = self.operators[name]
        calls = () if isinstance(operator, (UpdatingRows, UpdatingJoin)) else getattr(operator, "aggregates", ())
        return not calls or any(call.text in texts for call in calls)

    def _over(
        self,
        rows: _Rows,
        items: list[ast.SelectItem],
        of: list[Ref],
        facts: list[Fact],
        operators: tuple[str, ...],
    ) -> Ref:
        """Rankings, or aggregates of the rows around each."""
        operators += self._ranking(items) or self._framing(items) or (self._keeping(rows) if rows.window else ())
        only = items[0].expression
        if len(items) == 1 and isinstance(only, ast.Call) and only.name in RANKINGS and only.over is not None:
            facts += [
                ("rank", _item(items[0])),
                ("partition_by", tuple(map(text_of, only.over.partition))),
                ("order_by", order_text(only.over.order)),
                *([("as", items[0].alias)] if items[0].alias else []),
            ]
            return self._passed(self._add(Step("rank", tuple(of), tuple(facts), operators)), rows)
        facts.append(("over", tuple(map(_item, items))))
        return self._passed(self._add(Step("over", tuple(of), tuple(facts), operators)), rows)

    def _ranking(self, items: list[ast.SelectItem]) -> tuple[str, ...]:
        """The operators over all rows so far that compute these."""
        places = [at for call in _calls(items) if call.over is not None for at in (call.at, call.over.at)]
        return tuple(dict.fromkeys(name for at in places for name in self._at(at, UpdatingRows)))

    def _framing(self, items: list[ast.SelectItem]) -> tuple[str, ...]:
        """The operator of OVER by time that computes these."""
        texts = {text_of(call) for call in _calls(items)}
        windows = [one for one in self.operators.values() if isinstance(one, WindowAggregate)]
        found = [one.name for one in windows if one.frames and {call.text for call in one.aggregates} <= texts]
        whole = [one.name for one in windows if one.parts and set(one.input.inputs) <= set(found)]
        found = whole or found
        return tuple(found) if len(found) == 1 else ()

    def _waiting(self, at: Place) -> tuple[str, ...]:
        """The operator whose rows wait for what is to stand in front of them."""
        found = {name: self.operators[name] for name in self._at(at, RowsAtEnd, WindowAggregate)}
        return tuple(name for name, one in found.items() if isinstance(one, RowsAtEnd) or getattr(one, "frames", False))

    def _limited(self, of: Ref, node: ast.Select, parts: list[ast.Expression]) -> list[ast.Expression]:
        """What a WHERE asks beside the rank of the step below, which becomes part of that step."""
        step = self.found[of - 1] if isinstance(of, int) else None
        column = step.fact("as") if step is not None and step.does == "rank" else None
        kept = [
            part for part in parts if any(isinstance(one, ast.Name) and one.parts[-1] == column for one in _parts(part))
        ]
        if step is None or not isinstance(of, int) or column is None or not kept:
            return parts
        limit = Around.of(node).limit(column)
        first = limit == 1 and step.fact("rank").startswith("ROW_NUMBER")
        facts = (*step.facts, ("keeps", _together(kept)), *((("limit", limit),) if limit is not None else ()))
        self.found[of - 1] = replace(step, does="deduplicate" if first else "top-n", facts=facts)
        return [part for part in parts if part not in kept]

    # ------------------------------------------------------------------ steps

    def _add(self, step: Step, called: str | None = None) -> int:
        self.found.append(replace(step, called=called))
        return len(self.found)

    def _passed(self, of: int, rows: _Rows) -> int:
        """A step whose rows are of the same windows as those that it reads."""
        window = rows.window or self.windows.get(rows.of)
        if window is not None:
            self.windows[of] = window
        return of

    def _called(self, of: Ref, name: str | None) -> Ref:
        if isinstance(of, int) and name is not None and self.found[of - 1].called is None:
            self.found[of - 1] = replace(self.found[of - 1], called=name)
        return of

    def _at(self, at: Place, *kinds: type) -> tuple[str, ...]:
        names = self.places.get(at, ())
        known = {name: self.operators[name] for name in names if name in self.operators}
        return tuple(name for name, one in known.items() if not kinds or isinstance(one, kinds))


def _parts(node: ast.Expression) -> Iterator[ast.Expression]:
    yield node
    for child in children(node):
        yield from _parts(child)


def _calls(items: Iterable[ast.SelectItem]) -> list[ast.Call]:
    """What is computed OVER rows."""
    parts = [part for item in items for part in _parts(item.expression)]
    return [part for part in parts if isinstance(part, ast.Call) and part.over is not None]


def _subqueries(node: ast.Expression) -> Iterator[ast.Query]:
    for part in _parts(node):
        if isinstance(part, (ast.In, ast.Exists)) and part.query is not None:
            yield part.query


def _together(parts: Iterable[ast.Expression]) -> str:
    first, *others = parts
    whole: Any = first
    for part in others:
        whole = ast.Binary("AND", whole, part, part.at)
    return text_of(whole)


def _item(item: ast.SelectItem) -> str:
    text = over_text(item.expression) if isinstance(item.expression, ast.Call) else text_of(item.expression)
    return f"{text} AS {item.alias}" if item.alias else text


def _is_computed(item: ast.SelectItem) -> bool:
    return not isinstance(item.expression, (ast.Name, ast.Star))


def _grouping(node: ast.Grouping) -> str:
    if node.kind == "key":
        return text_of(node.sets[0][0])
    sets = ", ".join(f"({', '.join(map(text_of, keys))})" for keys in node.sets)
    return f"{node.kind} ({sets})"


def _below(inputs: Iterable[str], known: Mapping[str, Operator]) -> Iterator[str]:
    """These operators, and those whose results they read, each once."""
    waiting, seen = list(inputs)[::-1], set()
    while waiting:
        name = waiting.pop()
        if name in known and name not in seen:
            yield name
            seen.add(name)
            one = known[name]
            queries = (one.input,) if isinstance(one, (WindowAggregate, Regroup)) else one.inputs
            waiting += [inner for query in queries for inner in query.inputs][::-1]


def steps_of(
    query: ast.Query, views: Mapping[str, parsed.CreateView], found: Findings, inserts: Iterable[Insert]
) -> tuple[Step, ...]:
    """What a query does that was planned, with these findings, as these inserts."""
    steps = Steps(views, found, (name for insert in inserts for name in insert.query.inputs))
    last = steps.query(query, {})
    if not steps.found and isinstance(last, str):
        return (Step("read", (last,)),)
    return tuple(steps.found)
