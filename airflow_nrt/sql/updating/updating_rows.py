"""Rankings without windows, Top-N and deduplication: an `UpdatingRows` operator below the SELECT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import BIGINT, BOOLEAN, Field
from airflow_nrt.model.internal_columns import AFTER, ALIVE, CHANGE_HIDDEN, KEY, POSITION, key_of
from airflow_nrt.model.operators import Query
from airflow_nrt.model.updating import UpdatingRows
from airflow_nrt.model.written import Written
from airflow_nrt.sql.errors import NotThereYet, Problems
from airflow_nrt.sql.expressions.expressions import Compiler
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.logical.rank import RANKINGS
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import over_text, text_of
from airflow_nrt.sql.parse.walk import children, unqualified
from airflow_nrt.sql.relations.column_demand import Demand
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.relation import Relation
from airflow_nrt.sql.relations.unique_keys import carried, computed, keys_of_groups
from airflow_nrt.sql.selects.projection import column_names, expand, titled, written_names
from airflow_nrt.sql.selects.top_n_and_deduplication import UNORDERED, check_ranking
from airflow_nrt.sql.updating.sliding import ways_to_bound
from airflow_nrt.sql.updating.updating import boundless, missing_bounds, unwindowed

_RANK = "_nrt_rank"
_RANK_VALUE = Typed(_RANK, BIGINT.with_nullable(False), columns=frozenset({_RANK}))
_POSITION_PARTS = ("file", "block", "row")


def ranks_all_time(node: ast.Select, relation: Relation, alias: str | None) -> bool:
    """Whether a SELECT ranks rows without both window bounds in PARTITION BY, or ranks rows that change."""
    calls = [call for item in unqualified(node.items, alias) for call in _rankings(item.expression)]
    if relation.is_changing:
        return bool(calls)
    return any(missing_bounds(relation, call.over.partition) for call in calls if call.over is not None)


def _rankings(node: ast.Expression) -> list[ast.Call]:
    if isinstance(node, ast.Call) and node.over is not None:
        return [node] if node.name in RANKINGS else []
    return [call for child in children(node) for call in _rankings(child)]


def plan_ranking(
    findings: Findings, node: ast.Select, relation: Relation, alias: str | None, demand: Demand
) -> Relation:
    """A SELECT with one ranking. Raises SqlError, and NotThereYet if it has several."""
    return _Ranking(findings, node, relation, alias, demand).plan()


class _Ranking:
    def __init__(
        self, findings: Findings, node: ast.Select, relation: Relation, alias: str | None, demand: Demand
    ) -> None:
        self.node = replace(node, items=unqualified(node.items, alias), where=unqualified(node.where, alias))
        self.call = self._one_call()
        assert self.call.over is not None
        self.over = self.call.over
        missing = missing_bounds(relation, self.over.partition)
        self.boundless = boundless(self.call.name, relation, missing, "PARTITION BY", self.call.at)
        self.window = relation.pending or relation.window
        partition = relation.partition or ()
        self.sessions_of = None if relation.pending is None else [relation.column(name).typed for name in partition]
        self.roles = {column.name: column.role for column in relation.columns}
        end = relation.role("end") if relation.pending is not None else None
        self.findings = findings
        self.demand = demand
        self.relation = unwindowed(findings, relation)
        self.end_name = None if end is None else end.name
        self.below = Compiler(Scope(self.relation.columns, None, self.relation.has_batch), place=self.relation.place)
        self.above = Compiler(Scope(self.relation.columns), self._rank)

    def _one_call(self) -> ast.Call:
        calls = list(dict.fromkeys(call for item in self.node.items for call in _rankings(item.expression)))
        if len(calls) > 1:
            raise NotThereYet("several rankings without a window in one SELECT", calls[1].at)
        call = calls[0]
        assert call.over is not None
        check_ranking(call, call.over)
        return call

    def _rank(self, node: ast.Expression) -> Typed | None:
        return _RANK_VALUE if node == self.call else None

    def plan(self) -> Relation:
        """The rows are "(SELECT `shop` AS `shop`, _nrt_rank AS `r`, _nrt_after, … FROM (SELECT … FROM `u1`))"."""
        relation = self.relation
        items = expand(self.node.items, relation, None)
        names = column_names(items)
        problems = Problems()
        compiled = [problems.attempt(partial(self.above.compile, item.expression)) for item in items]
        keys = [problems.attempt(partial(self.below.compile, key)) for key in self.over.partition]
        order = [problems.attempt(partial(self.below.compile, item.expression)) for item in self.over.order]
        condition = partial(self.below.condition, self.node.where, "WHERE") if self.node.where is not None else None
        where = problems.attempt(condition) if condition is not None else None
        problems.raise_any()
        values = [self._needed(name, value) for name, value in zip(names, compiled) if value is not None]
        read = frozenset().union(*(value.columns for value in values)) - {_RANK}
        below = [typed for typed in (*keys, *order, where) if typed is not None]
        self.findings.note_columns(relation, [*below, Typed("", BOOLEAN, columns=read)])
        columns = {c.typed: Field(f"c{n}", c.type) for n, c in enumerate(relation.columns) if c.name in read}
        for n, typed in enumerate(typed for typed in order if typed is not None):
            columns.setdefault(typed, Field(f"o{n}", typed.type))
        operator = self._operator([key for key in keys if key is not None], columns, where)
        shown = next((name for name, item in zip(names, items) if item.expression == self.call), None)
        cause = replace(self.boundless, bounds=self._ways(shown))
        shared = self.findings.share_updating(self._narrowed(operator, shown), cause)
        inner = [f"{columns[relation.column(name).typed].name} AS {quote(name)}" for name in sorted(read)]
        selected = [f"{value.sql} AS {quote(name)}" for name, value in zip(names, values)]
        return Relation(
            f"(SELECT {', '.join([*selected, *CHANGE_HIDDEN])} FROM "
            f"(SELECT {', '.join([*inner, f'r0 AS {_RANK}', *CHANGE_HIDDEN])} FROM {quote(shared.name)}))",
            titled((self._column(name, value) for name, value in zip(names, values)), written_names(items)),
            (shared.name,),
            relation.node,
            hidden=CHANGE_HIDDEN,
            unique=carried(self._unique(shown), names, values),
        )

    def _column(self, name: str, value: Typed) -> ScopeColumn:
        """A window above needs the time of the rows. Others must not take rows that change for rows in their time."""
        is_time = self.demand.in_windows and value.column is not None and self.relation.column(value.column).rowtime
        return ScopeColumn(name, value.type, rowtime=is_time)

    def _needed(self, name: str, value: Typed) -> Typed:
        """The value of a column, or "CAST(NULL AS STRING)" if no query reads it, so that nothing is kept for it."""
        kept = self.demand.reads(name) or value.type.name == "NULL"
        return value if kept else Typed(f"CAST(NULL AS {value.type.spark})", value.type)

    def _operator(self, keys: list[Typed], columns: dict[Typed, Field], where: Typed | None) -> UpdatingRows:
        """Its input is "SELECT `shop` AS k0, `shop` AS c0, `price` AS c1, struct(…) AS p FROM `orders` WHERE …".

        Its rank is "CAST(row_number() OVER (PARTITION BY _nrt_after, k0 ORDER BY c1 DESC NULLS LAST, …) AS BIGINT)".
        """
        relation = self.relation
        fields = tuple(Field(f"k{n}", key.type) for n, key in enumerate(keys))
        items = [f"{key.sql} AS {field.name}" for key, field in zip(keys, fields)]
        items += [f"{typed.sql} AS {field.name}" for typed, field in columns.items()]
        items += CHANGE_HIDDEN if relation.is_changing else [self._position()]
        text = f"SELECT {', '.join(items)} FROM {relation.text}{f' WHERE {where.sql}' if where else ''}"
        partition = [AFTER, *([ALIVE] if relation.is_changing else []), *(field.name for field in fields)]
        by, order = ", ".join(partition), ", ".join(self._order(columns))
        rank = f"CAST({self.call.name.lower()}() OVER (PARTITION BY {by} ORDER BY {order}) AS BIGINT)"
        return UpdatingRows(
            name="",
            input=Query(text, relation.inputs, fields),
            keys=fields,
            columns=tuple(columns.values()),
            computed=((Field("r0", _RANK_VALUE.type), rank),),
            identity=key_of([KEY if relation.is_changing else "p"]),
            changing=relation.is_changing,
            written=Written(
                (
                    *zip((field.name for field in fields), map(text_of, self.over.partition)),
                    ("r0", over_text(self.call)),
                ),
                text_of(self.node.where) if self.node.where is not None else None,
            ),
        )

    def _ways(self, shown: str | None) -> tuple[str, ...]:
        """Ways to bound its state without windows, for messages."""
        relation = self.relation
        if relation.scan is None:
            return ()
        columns = frozenset().union(*(self.below.compile(key).columns for key in self.over.partition))
        growing = [name for name in relation.names if name in columns and not relation.column(name).constant]
        time = next((column.name for column in relation.columns if column.rowtime), None)
        is_limited = shown is not None and self.demand.limit(shown) is not None
        return ways_to_bound(relation.scan, time, self.node.where, growing if is_limited else None)

    def _unique(self, shown: str | None) -> Sequence[tuple[Typed, ...]]:
        """The keys of the rows that the demand lets pass."""
        known = computed(self.relation, self.relation.unique)
        if self.call.name != "ROW_NUMBER" or shown is None:
            return known
        partition = [self.below.compile(key) for key in self.over.partition]
        named = [(key, self.roles.get(key.column or "")) for key in partition]
        keys = keys_of_groups(self.window, named, self.sessions_of)
        return [*(key if self.demand.limit(shown) == 1 else (*key, _RANK_VALUE) for key in keys), *known]

    def _narrowed(self, operator: UpdatingRows, shown: str | None) -> UpdatingRows:
        """The operator with the limit that the demand sets on its rank."""
        if shown is None:
            return operator
        limit = self.demand.limit(shown)
        keys = [field.name for field in operator.keys]
        if self.call.name == "ROW_NUMBER" and (limit == 1 or self.demand.selects(shown)):
            operator = replace(operator, identity=key_of(keys if limit == 1 else [*keys, "r0"]))
        # If rows can be removed, a row after the limit may move up, so that all rows are kept.
        constant = limit is not None and all(
            self.relation.column(name).constant
            for key in self.over.partition
            for name in self.below.compile(key).columns
        )
        return replace(operator, limit=None if operator.changing else limit, constant=constant)

    def _position(self) -> str:
        """SQL of the position of arrival, with the window for a row of several windows.

        It is "struct(_nrt_pos.file AS file, _nrt_pos.block AS block, _nrt_pos.row AS row, `window_end` AS w) AS p".
        """
        parts = [f"{POSITION}.{part} AS {part}" for part in _POSITION_PARTS]
        return f"struct({', '.join([*parts, *([f'{quote(self.end_name)} AS w'] if self.end_name else [])])}) AS p"

    def _order(self, columns: dict[Typed, Field]) -> list[str]:
        """As in rankings inside windows: NULL is the least value, equal rows are in the order of arrival."""
        order = []
        for item in self.over.order:
            nulls_first = item.nulls_first if item.nulls_first is not None else not item.descending
            name = columns[self.below.compile(item.expression)].name
            order.append(f"{name} {'DESC' if item.descending else 'ASC'} NULLS {'FIRST' if nulls_first else 'LAST'}")
        if self.call.name != "ROW_NUMBER":
            return order
        first = self.over.order[0]
        direction = "DESC" if first.descending and self.below.compile(first.expression).type.is_timestamp else "ASC"
        if self.relation.is_changing:
            content = [field.name for field in columns.values() if field.type.name not in UNORDERED]
            return [*order, *(f"{name} {direction}" for name in (*content, KEY))]
        return [*order, *(f"p.{part} {direction}" for part in (*_POSITION_PARTS, *(["w"] if self.end_name else [])))]
