"""OVER by anything but time: aggregates of the rows so far, recomputed for each partition that a batch touches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import BOOLEAN, Field
from airflow_nrt.model.aggregates import AGGREGATES
from airflow_nrt.model.internal_columns import AFTER, ALIVE, CHANGE_HIDDEN, KEY, key_of
from airflow_nrt.model.operators import AggregateCall, Query
from airflow_nrt.model.updating import FramedCall, UpdatingRows
from airflow_nrt.model.written import Written
from airflow_nrt.sql.errors import NotThereYet
from airflow_nrt.sql.expressions.aggregates import canonical_name, result_type
from airflow_nrt.sql.expressions.expressions import Compiler
from airflow_nrt.sql.expressions.failing import errors_are_null
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.kept_rows.buffered_rows import arrival_position
from airflow_nrt.sql.logical.over import Framed
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import column_of_call, text_of
from airflow_nrt.sql.parse.walk import children, rewritten
from airflow_nrt.sql.relations.findings import Boundless, Findings
from airflow_nrt.sql.relations.relation import Relation
from airflow_nrt.sql.selects.projection import expand
from airflow_nrt.sql.selects.top_n_and_deduplication import UNORDERED

_ROWS, _RANGE = (f"{unit} BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW" for unit in ("ROWS", "RANGE"))
_POSITION_PARTS = ("p.file", "p.block", "p.row")


def is_over_all_time(node: ast.Select, relation: Relation, alias: str | None) -> bool:
    """Whether an OVER is ordered, but not by a time attribute first. If rows change it may be ordered by anything."""
    scope = Scope(relation.columns, alias)
    orders = [call.over.order for call in _calls(node) if call.over is not None]
    return any(order and (relation.is_changing or not scope.is_time(order[0].expression)) for order in orders)


def _calls(node: ast.Select) -> list[ast.Call]:
    def inside(part: ast.Expression) -> list[ast.Call]:
        if isinstance(part, ast.Call) and part.over is not None:
            return [part]
        return [call for child in children(part) for call in inside(child)]

    return list(dict.fromkeys(call for item in node.items for call in inside(item.expression)))


def with_updating_over(
    findings: Findings, node: ast.Select, relation: Relation, alias: str | None
) -> tuple[ast.Select, Relation]:
    """The SELECT without OVER and WHERE, and rows with the results of its OVER calls as columns. Raises SqlError."""
    items = tuple(
        replace(item, alias=item.alias or (f"EXPR${n}" if isinstance(item.expression, ast.Call) else None))
        for n, item in enumerate(expand(node.items, relation, alias))
    )
    return _UpdatingOver(findings, replace(node, items=items), relation, alias).plan()


class _UpdatingOver:
    def __init__(self, findings: Findings, node: ast.Select, relation: Relation, alias: str | None) -> None:
        self.findings = findings
        self.node = node
        self.relation = relation
        self.alias = alias
        self.compiler = Compiler(Scope(relation.columns, alias), place=relation.place)
        self.calls = {call: f"a{n}" for n, call in enumerate(_calls(node))}
        self.over = self._one_definition()
        self.keys = [self.compiler.compile(key) for key in self.over.partition]
        self.order = [self.compiler.compile(item.expression) for item in self.over.order]
        self.where = self.compiler.condition(node.where, "WHERE") if node.where is not None else None
        self.arguments: list[Typed] = []

    def _one_definition(self) -> ast.Over:
        own = [(call, call.over) for call in self.calls if call.over is not None]
        first = own[0][1]
        for call, over in own:
            if (over.partition, over.order) != (first.partition, first.order):
                raise NotThereYet("several definitions of OVER that are not all by time", call.at)
        return first

    def plan(self) -> tuple[ast.Select, Relation]:
        """The rows are "(SELECT c0 AS `shop`, a0 AS `_over_a0`, _nrt_after, _nrt_key FROM `u1`)"."""
        planned = [self._call(call) for call in self.calls]
        results = tuple(ScopeColumn(f"_over_{call.name}", call.type) for call, _ in planned)
        node = replace(self.node, items=rewritten(self.node.items, self._column), where=None)
        above = Compiler(Scope((*self.relation.columns, *results), self.alias))
        shown = frozenset().union(*(above.compile(item.expression).columns for item in node.items))
        kept = [column for column in self.relation.columns if column.name in shown]
        read = [*self.keys, *self.order, *self.arguments, *([self.where] if self.where is not None else [])]
        self.findings.note_columns(self.relation, [*read, Typed("", BOOLEAN, columns=frozenset(c.name for c in kept))])
        fields = {column.name: Field(f"c{n}", column.type) for n, column in enumerate(kept)}
        cause = Boundless("OVER by anything but time", "ORDER BY the time attribute inside OVER", self.over.at)
        operator = self.findings.share_updating(self._operator(fields, planned), cause)
        selected = [f"{field.name} AS {quote(name)}" for name, field in fields.items()]
        selected += [f"{call.name} AS {quote(f'_over_{call.name}')}" for call, _ in planned]
        columns = (replace(c, rowtime=False, rowtime_path=(), proctime=False) for c in kept)
        text = f"(SELECT {', '.join([*selected, *CHANGE_HIDDEN])} FROM {quote(operator.name)})"
        rows = Framed(self.relation.node, operators=(operator.name,))
        return node, Relation(text, (*columns, *results), (operator.name,), rows, hidden=CHANGE_HIDDEN)

    def _column(self, node: object) -> ast.Name | None:
        if not isinstance(node, ast.Call) or node.over is None:
            return None
        return column_of_call(f"_over_{self.calls[node]}", node)

    def _call(self, node: ast.Call) -> tuple[AggregateCall, str]:
        """The call and its frame."""
        name, arguments = canonical_name(node.name), node.arguments
        frame = self._frame(node)
        if node.name == "ROW_NUMBER" and not arguments:
            name, arguments, frame = "COUNT", (ast.Star(None, node.at),), _ROWS
        known = AGGREGATES.get(name)
        if known is None or not known.over_any_order or node.filter is not None or node.within or node.distinct:
            raise NotThereYet(f"{text_of(replace(node, over=None))} OVER by anything but time", node.at)
        of_rows = name == "COUNT" and len(arguments) == 1 and isinstance(arguments[0], ast.Star)
        if not of_rows and len(arguments) != 1:
            raise NotThereYet(f"{name} of {len(arguments)} arguments with OVER by anything but time", node.at)
        operand = None if of_rows else self.compiler.compile(arguments[0])
        self.arguments += [operand] if operand is not None else []
        call = AggregateCall(
            name=self.calls[node],
            function=name,
            argument=f"v{len(self.arguments) - 1}" if operand is not None else None,
            argument_type=operand.type if operand is not None else None,
            filter=None,
            distinct=False,
            type=result_type(replace(node, name=name, arguments=arguments), operand),
            text=text_of(replace(node, over=None)),
            overflow_is_null=errors_are_null(),
        )
        return call, frame

    def _frame(self, node: ast.Call) -> str:
        assert node.over is not None
        frame = node.over.frame
        if frame is None:
            return _RANGE
        low, high = frame.low, frame.high
        if not high.is_current_row or low.value is not None or low.following:
            raise NotThereYet("a frame other than from UNBOUNDED PRECEDING to CURRENT ROW, not by time", frame.at)
        return _ROWS if frame.unit == "ROWS" else _RANGE

    def _operator(self, columns: Mapping[str, Field], planned: Sequence[tuple[AggregateCall, str]]) -> UpdatingRows:
        """Its input is "SELECT `shop` AS c0, `shop` AS k0, `price` AS o0, `n` AS v0, struct(…) AS p FROM `orders`".

        A call is over "(PARTITION BY _nrt_after, k0 ORDER BY o0 ASC NULLS FIRST RANGE BETWEEN … AND CURRENT ROW)".
        """
        relation = self.relation
        changing = relation.is_changing
        keys = tuple(Field(f"k{n}", key.type) for n, key in enumerate(self.keys))
        order = tuple(Field(f"o{n}", key.type) for n, key in enumerate(self.order))
        arguments = tuple(Field(f"v{n}", argument.type) for n, argument in enumerate(self.arguments))
        items = [f"{quote(name)} AS {field.name}" for name, field in columns.items()]
        below = zip((*self.keys, *self.order, *self.arguments), (*keys, *order, *arguments))
        items += [f"{typed.sql} AS {field.name}" for typed, field in below]
        items += CHANGE_HIDDEN if changing else [f"{arrival_position().sql} AS p"]
        where = f" WHERE {self.where.sql}" if self.where is not None else ""
        kept = (*columns.values(), *order, *arguments)
        by = ", ".join([AFTER, *([ALIVE] if changing else []), *(field.name for field in keys)])
        ties = [f.name for f in kept if f.type.name not in UNORDERED] + [KEY] if changing else list(_POSITION_PARTS)
        return UpdatingRows(
            name="",
            input=Query(f"SELECT {', '.join(items)} FROM {relation.text}{where}", relation.inputs, keys),
            keys=keys,
            columns=kept,
            computed=(),
            identity=key_of([KEY if changing else "p"]),
            changing=changing,
            written=Written(
                tuple(zip((field.name for field in keys), map(text_of, self.over.partition))),
                text_of(self.node.where) if self.node.where is not None else None,
            ),
            framed=tuple(
                FramedCall(
                    call,
                    f"(PARTITION BY {by} ORDER BY {', '.join(self._sorted(order) + (ties if frame == _ROWS else []))} "
                    f"{frame})",
                )
                for call, frame in planned
            ),
        )

    def _sorted(self, order: Sequence[Field]) -> list[str]:
        """As in rankings: NULL is the least value."""
        items = []
        for item, field in zip(self.over.order, order):
            nulls_first = item.nulls_first if item.nulls_first is not None else not item.descending
            direction, nulls = ("DESC" if item.descending else "ASC"), ("FIRST" if nulls_first else "LAST")
            items.append(f"{field.name} {direction} NULLS {nulls}")
        return items
