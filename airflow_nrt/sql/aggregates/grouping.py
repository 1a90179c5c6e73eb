"""GROUP BY window_start, window_end: one `WindowAggregate` operator, and the SELECT and HAVING above it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import BIGINT, Field
from airflow_nrt.model.internal_columns import WINDOW_START, key_of
from airflow_nrt.model.operators import AggregateCall, Query, Regroup, WindowAggregate
from airflow_nrt.model.value_places import in_window
from airflow_nrt.model.window_columns import ROLES, bounds
from airflow_nrt.model.written import Written
from airflow_nrt.sql.aggregates.each_window import known_with_row
from airflow_nrt.sql.aggregates.grouping_sets import calls_grouping, plan_grouping_sets
from airflow_nrt.sql.aggregates.shared_slices import share_slices
from airflow_nrt.sql.errors import NotThereYet, Problems, SqlError
from airflow_nrt.sql.expressions.aggregate_arguments import read_arguments
from airflow_nrt.sql.expressions.aggregates import canonical_name, is_aggregate, is_distinct, result_type
from airflow_nrt.sql.expressions.expressions import Compiler
from airflow_nrt.sql.expressions.failing import errors_are_null
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.kept_rows.buffered_rows import finished, narrowed
from airflow_nrt.sql.kept_rows.kept_rows import reads_of
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import text_of
from airflow_nrt.sql.parse.walk import children, conjuncts, unqualified
from airflow_nrt.sql.relations.column_demand import Demand
from airflow_nrt.sql.relations.findings import Findings, Values
from airflow_nrt.sql.relations.relation import Relation, in_their_window
from airflow_nrt.sql.relations.unique_keys import carried, keys_of_uuids, keys_of_windows
from airflow_nrt.sql.relations.unknown_names import unknown_names
from airflow_nrt.sql.selects.projection import column_names, expand, titled, written_names

_ROLE_NAMES = {role: name for name, role in ROLES.items()}


PlanGroup = Callable[[Findings, ast.Select, Relation], Relation]


def plan_aggregate(
    findings: Findings, node: ast.Select, relation: Relation, alias: str | None, plan_group: PlanGroup
) -> Relation:
    """An aggregation by one GROUP BY or by several; `plan_group` plans one with plain keys."""
    node = replace(
        node,
        items=unqualified(node.items, alias),
        where=unqualified(node.where, alias),
        group=unqualified(node.group, alias),
        having=unqualified(node.having, alias),
    )
    if relation.has_sessions:
        reads = reads_of(Demand(node), Scope(relation.columns), None)
        if relation.is_changing or relation.partition is None:
            relation = narrowed(relation, reads)
        elif not _keeps_sessions(node, relation):
            relation = finished(findings, relation, reads)
    if any(group.kind != "key" for group in node.group or ()) or (node.group and calls_grouping(node)):
        return plan_grouping_sets(node, lambda one: plan_group(findings, one, relation))
    return plan_group(findings, node, relation)


def _keeps_sessions(node: ast.Select, relation: Relation) -> bool:
    """Whether WHERE reads only the partition of SESSION, and the keys include it: sessions can then follow WHERE."""
    assert relation.partition is not None
    groups = node.group or ()
    keys = {key.parts for group in groups for key in group.sets[0] if isinstance(key, ast.Name)}
    read = {part.parts[0] for part in _all(node.where) if isinstance(part, ast.Name)} if node.where is not None else ()
    simple = all(group.kind == "key" for group in groups) and {(name,) for name in relation.partition} <= keys
    return simple and set(read) <= set(relation.partition)


class Aggregation:
    """One GROUP BY with both window bounds among its keys."""

    def __init__(self, findings: Findings, node: ast.Select, relation: Relation) -> None:
        self.findings = findings
        self.node = node
        self.relation = relation
        self.below = Compiler(Scope(relation.columns, None, relation.has_batch), place=relation.place)
        self.above = Compiler(Scope(relation.columns), self._above, self._place, self._identity)
        self.inputs: dict[str, Typed] = {}
        self.keys: list[tuple[ast.Expression, Field]] = []
        self.windows: dict[str, ast.Expression] = {}
        self.of_window: list[ast.Expression] = []
        self.calls: dict[ast.Expression, AggregateCall] = {}
        self.read: list[Typed] = []
        self.knows_windows = False

    def plan(self) -> Relation:
        node, relation = self.node, self.relation
        problems = Problems()
        is_grouped = problems.attempt(self._group) is not None
        before, after = problems.attempt(self._where) or ([], [])
        if not is_grouped:
            # Without the groups, only names can be checked above the aggregation.
            above = [item.expression for item in node.items if not isinstance(item.expression, ast.Star)]
            problems.errors += unknown_names(self.below.scope, [*above, *([node.having] if node.having else [])])
            problems.stop()
        items = expand(node.items, relation, None) if _has_star(node) else list(node.items)
        names, titles = column_names(items), written_names(items)
        compiled = [problems.attempt(partial(self.above.compile, item.expression)) for item in items]
        if node.having is not None:
            having = problems.attempt(partial(self.above.condition, node.having, "HAVING"))
            after += [having] if having is not None else []
        problems.raise_any()
        values = [value for value in compiled if value is not None]
        self.findings.note_columns(relation, self.read)
        planned = self._relation(before, names, values, after)
        unique = (*planned.unique, *keys_of_uuids(items, names))
        return replace(planned, columns=titled(planned.columns, titles), unique=unique)

    def _relation(self, before: list[Typed], names: list[str], values: list[Typed], after: list[Typed]) -> Relation:
        """The rows of the SELECT over the operator's. `before` are the conditions below it, `after` those above it.

        Their text is "(SELECT `k0` AS `shop`, `a0` AS `s`, _nrt_end FROM `w1` WHERE (`a1` > 1))".
        """
        node = self.relation.node
        operator, shared = self._operator(before)
        condition = " AND ".join(value.sql for value in after)
        selected = [f"{value.sql} AS {quote(name)}" for name, value in zip(names, values)]
        text = (
            f"(SELECT {', '.join([*selected, *bounds(operator.window)])} FROM {_result(operator, shared)}"
            f"{f' WHERE {condition}' if condition else ''})"
        )
        fields = tuple(key_column(field) for _, field in self.keys)
        keys = tuple(
            (name, shared.get(value.column, value.column))
            for name, value in zip(names, values)
            if value.column is not None and value in fields
        )
        return Relation(
            text,
            tuple(self._column(name, value) for name, value in zip(names, values)),
            (operator.name,),
            node,
            hidden=bounds(operator.window),
            window=operator.window,
            rowtime_type=operator.rowtime_type,
            operator=operator.name,
            keys=keys,
            unique=carried(keys_of_windows(operator.window, fields), names, values),
        )

    # ------------------------------------------------------------------ GROUP BY and WHERE

    def _group(self) -> bool:
        problems, are_wrong = Problems(), False
        for grouping in self.node.group or ():
            expression = grouping.sets[0][0]
            typed = problems.attempt(partial(self.below.compile, expression))
            if typed is None:
                are_wrong = True
                continue
            window_columns = [name for name in typed.columns if self.relation.column(name).role is not None]
            role = None if typed.column is None else self.relation.column(typed.column).role
            if role is not None:
                self.windows[role] = expression
            elif window_columns and len(window_columns) == len(typed.columns):
                self.of_window.append(expression)
            elif all(known != expression for known, _ in self.keys):
                self._note_windows(typed)
                field = Field(f"k{len(self.keys)}", typed.type)
                self.keys.append((expression, field))
                self.inputs[field.name] = typed
                self.read.append(typed)
        if are_wrong:
            problems.stop()
        return True

    def _where(self) -> tuple[list[Typed], list[Typed]]:
        """WHERE in two parts: conditions on rows, and conditions on the window alone."""
        before: list[Typed] = []
        after: list[Typed] = []
        for part in conjuncts(self.node.where) if self.node.where is not None else ():
            typed = self.below.condition(part, "WHERE")
            on_window = [self.relation.is_window_column(name) for name in typed.columns]
            if any(on_window) and all(on_window):
                after.append(Compiler(self.below.scope, self._role_column).condition(part, "WHERE"))
            else:
                self._note_windows(typed)
                before.append(typed)
                self.read.append(typed)
        return before, after

    # ------------------------------------------------------------------ above the aggregation

    def _place(self) -> str:
        """SQL of the place of a result."""
        return in_window([field.name for _, field in self.keys])

    def _identity(self) -> str:
        """SQL of the key of a result and of its window."""
        window = self.relation.pending or self.relation.window
        assert window is not None
        return key_of([*(field.name for _, field in self.keys), *bounds(window)])

    def _role_column(self, node: ast.Expression) -> Typed | None:
        """A window column under its standard name, which it has in the operator's result."""
        if not isinstance(node, ast.Name):
            return None
        column = self.below.scope.find(node)
        if column.role is None:
            return None
        name = _ROLE_NAMES[column.role]
        return Typed.of_column(name, column.type)

    def _above(self, node: ast.Expression) -> Typed | None:
        if isinstance(node, ast.Absent):
            kind = self.below.compile(node.operand).type.with_nullable(True)
            return Typed(f"CAST(NULL AS {kind.spark})", kind)
        for expression, field in self.keys:
            if node == expression:
                return key_column(field)
        if node in self.windows.values():
            return self._role_column(node)
        if node in self.of_window:
            return Compiler(self.below.scope, self._role_column).compile(node)
        if is_aggregate(node):
            assert isinstance(node, ast.Call)
            call = self._call(node)
            return Typed.of_column(call.name, call.type)
        if isinstance(node, ast.Name):
            self.below.scope.find(node)
            raise SqlError(f"Expression '{text_of(node)}' is not being grouped: add it to GROUP BY", node.at)
        return None

    def _call(self, node: ast.Call) -> AggregateCall:
        if node in self.calls:
            return self.calls[node]
        if node.within:
            raise NotThereYet("WITHIN GROUP", node.at)
        for argument in node.arguments:
            if any(is_aggregate(inner) for inner in _all(argument)):
                raise SqlError(f"{node.name} can't take another aggregate as its argument", argument.at)
        given = read_arguments(node, self.below.compile)
        operand = given.operand
        condition = self.below.condition(node.filter, "FILTER") if node.filter is not None else None
        for value in (operand, condition):
            if value is not None:
                self._note_windows(value)
        call = AggregateCall(
            name=f"a{len(self.calls)}",
            function=canonical_name(node.name),
            argument=self._input("v", operand),
            argument_type=operand.type if operand else None,
            filter=self._input("f", condition),
            distinct=is_distinct(node),
            type=result_type(node, operand),
            text=text_of(node),
            parameters=given.parameters,
            python=given.python,
            overflow_is_null=errors_are_null(),
        )
        self.calls[node] = call
        return call

    def _note_windows(self, typed: Typed) -> None:
        """Notes whether a value of rows reads window columns. `in_each_window` left only columns known with the row."""
        assert known_with_row(self.relation, typed.columns)
        self.knows_windows |= any(self.relation.is_window_column(name) for name in typed.columns)

    def _input(self, prefix: str, typed: Typed | None) -> str | None:
        """The column of the input query with this value. Equal expressions share one."""
        if typed is None:
            return None
        self.read.append(typed)
        for name, known in self.inputs.items():
            if known == typed and name.startswith(prefix):
                return name
        name = f"{prefix}{sum(1 for other in self.inputs if other.startswith(prefix))}"
        self.inputs[name] = typed
        return name

    # ------------------------------------------------------------------ the operator

    @property
    def written(self) -> Written:
        """The operator in the report's words."""
        read = frozenset().union(*(typed.columns for typed in self.read))
        return Written(
            tuple((field.name, text_of(key)) for key, field in self.keys),
            text_of(self.node.where) if self.node.where is not None else None,
            tuple(column.title for column in self.relation.columns if column.name in read),
        )

    def _operator(self, before: list[Typed]) -> tuple[WindowAggregate | Regroup, Mapping[str, str]]:
        """The operator, and the names of the keys and calls in it, if it is shared.

        Its input is "SELECT `shop` AS `k0`, `price` AS `v0`, _nrt_ts, … FROM `orders` WHERE (`n` > 2)".
        """
        relation = in_their_window(self.relation) if self.knows_windows else self.relation
        assert relation.rowtime_type is not None
        if relation.window is not None and relation.window.bounded_by_rows:
            # Sessions of different keys may end together.
            start = Field(f"k{len(self.keys)}", BIGINT)
            self.keys.append((ast.Name((WINDOW_START,), self.node.at), start))
            self.inputs[start.name] = Typed(WINDOW_START, start.type)
        condition = " AND ".join(typed.sql for typed in before)
        source = f"{relation.text}{f' WHERE {condition}' if condition else ''}"
        taken = Values(dict(self.inputs), relation.hidden, source)
        fields = tuple(field for _, field in self.keys)
        query = Query(taken.query, relation.inputs, fields)
        calls = tuple(self.calls.values())
        if relation.window is not None:
            regroup = Regroup("", query, relation.window, fields, calls, relation.rowtime_type, self.written)
            return self.findings.share_regroup(regroup), {}
        assert relation.pending is not None
        operator = WindowAggregate(
            name="",
            input=query,
            sources=self.findings.sources_of(relation),
            window=relation.pending,
            keys=fields,
            aggregates=calls,
            rowtime_type=relation.rowtime_type,
            clock=relation.clock,
            partition=self._partition(),
            numbering=relation.numbering_in_window,
            written=self.written,
        )
        shared = share_slices(self.findings, operator, taken)
        return shared.operator, shared.columns

    def _partition(self) -> tuple[str, ...]:
        named = self.relation.partition
        return tuple(
            field.name
            for key, field in self.keys
            if named is None or (isinstance(key, ast.Name) and key.parts[0] in named)
        )

    def _column(self, name: str, value: Typed) -> ScopeColumn:
        role = ROLES.get(value.column or "")
        of_window = all(column in ROLES for column in value.columns)
        return ScopeColumn(name, value.type, rowtime=role == "time", role=role, of_window=of_window)


def key_column(field: Field) -> Typed:
    """A key of the operator, as an expression over its result."""
    return Typed.of_column(field.name, field.type)


def _result(operator: WindowAggregate | Regroup, shared: Mapping[str, str]) -> str:
    """SQL of the operator's result, under this aggregation's names for its columns: "`w1`".

    If it has other names for them in a shared operator: "(SELECT `a3` AS `a0`, window_start, …, _nrt_end FROM `w1`)".
    """
    if all(name == other for name, other in shared.items()):
        return quote(operator.name)
    known = {key.name for key in operator.keys} | {call.name for call in operator.aggregates}
    items = [f"{quote(other)} AS {quote(name)}" for name, other in shared.items() if other in known]
    return f"(SELECT {', '.join([*items, *ROLES, *bounds(operator.window)])} FROM {quote(operator.name)})"


def _has_star(node: ast.Select) -> bool:
    return any(isinstance(item.expression, ast.Star) for item in node.items)


def _all(node: ast.Expression) -> Iterator[ast.Expression]:
    yield node
    for child in children(node):
        yield from _all(child)
