"""The steps of a query, made of its nodes: `airflow-nrt plan` shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

from airflow_nrt.model.steps import Fact, Step
from airflow_nrt.sql.logical.filter import Filter, Subquery
from airflow_nrt.sql.logical.join import Join, Lateral
from airflow_nrt.sql.logical.named import Derived, View
from airflow_nrt.sql.logical.node import Node, Selected
from airflow_nrt.sql.logical.over import Framed
from airflow_nrt.sql.logical.project import Project
from airflow_nrt.sql.logical.scan import Changes, Newest, Recent, Scan
from airflow_nrt.sql.logical.set_operation import SetOperation
from airflow_nrt.sql.logical.sink import Sink
from airflow_nrt.sql.logical.sort import Limit, Sort
from airflow_nrt.sql.logical.top_n import with_top_n
from airflow_nrt.sql.logical.values import OneRow, Values
from airflow_nrt.sql.logical.window import Buffer, Sessions, Window
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import rewritten

Ref = str | int
"""A table by its name, or a step by its number."""
_Clause = TypeVar("_Clause", bound=Node)
_Steps = Sequence[tuple[ast.Query, "str | int"]]
"""Queries, each with its step or its table."""


def steps_of(sink: Sink) -> tuple[Step, ...]:
    """The steps of a query, from its tables to the sink."""
    builder = _StepBuilder()
    last = builder.query(sink.input)
    if not builder.steps and isinstance(last, str):
        return (Step("read", (last,)),)
    return tuple(builder.steps)


@dataclass(frozen=True)
class _Rows:
    """The rows of a FROM: a table or a step. Its `window` and `operators` belong to clauses that have no step yet."""

    of: Ref
    alias: str | None = None
    window: str | None = None
    operators: tuple[str, ...] = ()


@dataclass
class _Position:
    """The position of a step: its number among those of a view, or of the query that reads all views."""

    query: ast.Query | None = None
    count: int = 0

    def next(self) -> tuple[int, int]:
        self.count += 1
        return id(self.query), self.count


@dataclass
class _StepBuilder:
    """The steps so far. The steps of a view appear once. If it is planned in several ways they name all operators."""

    steps: list[Step] = field(default_factory=list)
    _numbers: dict[tuple[int, int], int] = field(default_factory=dict)
    _views: dict[Node, Ref] = field(default_factory=dict)
    _position: _Position = field(default_factory=_Position)

    def query(self, node: Node) -> Ref:
        match node:
            case Selected():
                return self._select(node)
            case SetOperation():
                sides = tuple(map(self.query, node.inputs))
                return self._add(Step(node.does, sides, (), node.operators))
            case Limit() | Sort():
                return self._add(Step(node.does, (self.query(node.input),), node.facts, node.operators))
        return self._rows(node).of

    # ------------------------------------------------------------------ FROM

    def _rows(self, node: Node) -> _Rows:
        match node:
            case Scan():
                return _Rows(node.title, node.alias or node.table)
            case Values() | OneRow():
                return _Rows(node.title)
            case Newest() | Changes():
                rows = self._rows(node.input)
                return replace(rows, of=self._add(Step(node.does, (rows.of,), node.facts, node.operators), rows.alias))
            case Window():
                return _Rows(self._whole(self._rows(node.input)), node.alias, node.windowing)
            case Recent() | Buffer():
                return self._kept(self._rows(node.input), node.operators)
            case Sessions() if node.input.windowing is not None:
                rows = self._kept(self._rows(node.input), node.operators)
                return _Rows(self._whole(rows), rows.alias)
            case Sessions() | Framed():
                # The step of the SELECT above names these operators.
                rows = self._rows(node.input)
                return replace(rows, operators=(*rows.operators, *node.operators))
            case Derived():
                return _Rows(self._called(self.query(node.input), node.alias), node.alias)
            case View():
                return _Rows(self._view(node), node.alias)
            case Join():
                return _Rows(self._join(node))
            case Lateral():
                of = self._whole(self._rows(node.input))
                return _Rows(self._add(Step(node.does, (of,), node.facts)))
            case Selected() | SetOperation() | Limit() | Sort():
                return _Rows(self.query(node))
        raise TypeError(f"no step shows a {type(node).__name__}")

    def _view(self, node: View) -> Ref:
        if node.input not in self._views:
            outer, self._position = self._position, _Position(node.query)
            self._views[node.input] = self._called(self.query(node.input), node.name)
            self._position = outer
        return self._views[node.input]

    def _join(self, node: Join) -> Ref:
        sides = []
        for side in node.inputs:
            rows = self._rows(side)
            sides.append(self._titled(self._whole(rows), rows.alias))
        return self._add(Step(node.does, tuple(sides), node.facts, node.operators))

    def _whole(self, rows: _Rows) -> Ref:
        """The step of the rows. Their window becomes a step of its own."""
        if rows.window is None:
            return rows.of
        return self._add(Step("window", (rows.of,), (("window", rows.window),), rows.operators), rows.alias)

    def _kept(self, rows: _Rows, operators: tuple[str, ...]) -> _Rows:
        """Rows that operators keep. Their step names the operators. If they have none yet, the next step does."""
        if rows.window is None and isinstance(rows.of, int):
            self._keep(rows.of, operators)
            return rows
        return replace(rows, operators=(*rows.operators, *operators))

    # ------------------------------------------------------------------ SELECT

    def _select(self, node: Selected) -> Ref:
        below = with_top_n(node.input)
        where = below if isinstance(below, Filter) else None
        below = below if where is None else where.input
        subqueries: list[Subquery] = []
        while isinstance(below, Subquery):
            subqueries.insert(0, below)
            below = below.input
        rows = self._rows(below)
        inner = [self.query(one.query) for one in subqueries]
        shown = [(one.written, step) for one, step in zip(subqueries, inner)]
        facts: tuple[Fact, ...] = (("window", rows.window),) if rows.window is not None else ()
        facts += _worded(where, shown).facts if where is not None else ()
        facts += _worded(node, shown).facts
        if isinstance(node, Project):
            if not facts:
                return rows.of
            if [name for name, _ in facts] == ["window"]:
                return self._whole(rows)
        does = where.does if where is not None and isinstance(node, Project) else node.does
        of = (self._titled(rows.of, rows.alias), *inner)
        kept = (rows.operators, *(one.operators for one in subqueries), node.operators)
        return self._add(Step(does, of, facts, tuple(dict.fromkeys(sum(kept, ())))))

    # ------------------------------------------------------------------ steps

    def _add(self, step: Step, called: str | None = None) -> int:
        position = self._position.next()
        if position in self._numbers:
            self._keep(self._numbers[position], step.operators)
        else:
            self.steps.append(replace(step, called=called))
            self._numbers[position] = len(self.steps)
        return self._numbers[position]

    def _keep(self, of: int, operators: tuple[str, ...]) -> None:
        step = self.steps[of - 1]
        self.steps[of - 1] = replace(step, operators=tuple(dict.fromkeys((*step.operators, *operators))))

    def _called(self, of: Ref, name: str | None) -> Ref:
        if isinstance(of, int) and name is not None and self.steps[of - 1].called is None:
            self.steps[of - 1] = replace(self.steps[of - 1], called=name)
        return of

    def _titled(self, of: Ref, alias: str | None) -> Ref:
        """A step with its alias in the outer query, if that differs from its own name."""
        called = self.steps[of - 1].called if isinstance(of, int) else None
        return of if called is None or alias in (None, called) else f"step {of} ({called}) AS {alias}"


def _worded(clause: _Clause, steps: _Steps) -> _Clause:
    """A clause with steps instead of its queries: `price > (step 2)` for `price > (SELECT AVG(price) FROM orders)`."""
    if not steps:
        return clause

    def change(part: Any) -> Any:
        match part:
            case Node():
                return part
            case ast.In(operand, _, ast.Select() | ast.SetOperation() | ast.Values() as query, _, at):
                step = ast.Keyword(_named(query, steps), at)
                return replace(part, operand=rewritten(operand, change), values=(step,), query=None)
            case ast.Quantified(operand, operator, for_all, query, at):
                word, step = "ALL" if for_all else "ANY", ast.Keyword(f"({_named(query, steps)})", at)
                return ast.Binary(f"{operator} {word}", rewritten(operand, change), step, at)
            case ast.Exists(query, at):
                return ast.Keyword(f"EXISTS ({_named(query, steps)})", at)
            case ast.Scalar(query, at):
                return ast.Keyword(f"({_named(query, steps)})", at)
        return None

    return replace(clause, **{one.name: rewritten(getattr(clause, one.name), change) for one in fields(clause)})


def _named(query: ast.Query, steps: _Steps) -> str:
    """The step of a query, or its table. Equal queries as values are one step."""
    same = [step for known, step in steps if known is query] or [step for known, step in steps if known == query]
    step = same[0] if same else "…"
    return f"step {step}" if isinstance(step, int) else step
