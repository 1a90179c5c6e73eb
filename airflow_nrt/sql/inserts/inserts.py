"""The values that an INSERT writes into the sink's columns, and the key of its rows."""

from __future__ import annotations

from collections.abc import Sequence

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.basics.texts import counted
from airflow_nrt.basics.types import DataType, Field
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.internal_columns import CHANGE_HIDDEN, SORTED_BY, WINDOW_END
from airflow_nrt.model.operators import Query, Regroup, WindowAggregate
from airflow_nrt.model.plan import Insert
from airflow_nrt.model.result_timing import OutputOptions
from airflow_nrt.model.tables import Column, Table
from airflow_nrt.model.windows import Sql
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.expressions.casts import cast_to
from airflow_nrt.sql.expressions.failing import Computed, counted_for
from airflow_nrt.sql.expressions.scope import ScopeColumn
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.inserts.not_null import required
from airflow_nrt.sql.parse import ast, parsed
from airflow_nrt.sql.parse.unparse import text_of
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.relation import Relation
from airflow_nrt.sql.relations.unique_keys import Keys, carried, computed
from airflow_nrt.sql.selects.ordering import Named, order_sql


def add_insert(
    findings: Findings, sink: Table, relation: Relation, values: tuple[Typed, ...], order: Sequence[Named] = ()
) -> Insert:
    """Adds one insert, and gives it. Its query is "SELECT `shop` AS `shop`, `s` AS `s`, … AS _nrt_end FROM (…)".

    `values` are the sink's columns as expressions over the relation. `order` are the columns of the relation that its
    rows are sorted by.
    """
    columns = written_columns(sink)
    taken = sum(1 for insert in findings.inserts if insert.sink.name == sink.name)
    name = sink.name if not taken else f"{sink.name}_{taken + 1}"
    items = [f"{_written(name, c, v, relation)} AS {quote(c.name)}" for v, c in zip(values, columns)]
    changes = relation.is_changing and not relation.adds_only
    hidden = [*CHANGE_HIDDEN] if changes else []
    items += hidden
    if not changes and relation.window is not None:
        items.append(f"{relation.window.name(Sql(WINDOW_END))} AS {WINDOW_END}")
        hidden.append(WINDOW_END)
    items += [f"{quote(name)} AS {SORTED_BY}{n}" for n, (name, _) in enumerate(order)]
    hidden += [f"{SORTED_BY}{n}" for n in range(len(order))]
    by = tuple(order_sql(n, item) for n, (_, item) in enumerate(order))
    fields = tuple(Field(column.name, column.type) for column in columns)
    query = Query(f"SELECT {', '.join(items)} FROM {relation.text}", relation.inputs, fields)
    checked = required(sink, query, hidden, list(zip(values, columns)), findings.drops_null)
    query = query if checked is None else checked.enforced
    operators = findings.operators_below(relation.inputs)
    window = relation.window
    key = _unique_key(findings, sink, relation, values) if window is not None else None
    if changes:
        key = next(iter(written_keys(sink, relation, values)), None)
    timing = OutputOptions.read(sink.options)
    end = _end_column(sink, relation, values)
    selected = f"SELECT {', '.join(value.sql for value in values)} FROM {relation.text}"
    insert = Insert(
        name, sink, query, operators, window, key, changes, order=by, timing=timing, end_column=end, selected=selected,
        required=checked,
    )  # fmt: skip
    findings.inserts.append(insert)
    return insert


def _written(insert: str, column: Column, value: Typed, relation: Relation) -> str:
    """SQL of a value as its column. A number that does not fit is NULL, and counted."""
    with counted_for(lambda: Computed(f"column {column.name} of {insert}", relation.place())):
        return cast_to(value, column.type)


def _end_column(sink: Table, relation: Relation, values: tuple[Typed, ...]) -> str | None:
    """The sink column that holds `window_end`, None if none does."""
    ends = {column.name for column in relation.columns if column.role == "end"}
    written_ends = (c.name for v, c in zip(values, written_columns(sink)) if v.column in ends)
    return next(written_ends, None)


def written_columns(sink: Table) -> tuple[Column, ...]:
    """The columns that a query writes. The column of `'result-state'` is written by the driver."""
    return tuple(column for column in sink.physical if column.name != sink.options.get("result-state"))


def written_keys(sink: Table, relation: Relation, values: tuple[Typed, ...]) -> Keys:
    """The sets of sink columns that identify the query's rows."""
    return carried(computed(relation, relation.unique), [column.name for column in written_columns(sink)], values)


def _unique_key(
    findings: Findings, sink: Table, relation: Relation, values: tuple[Typed, ...]
) -> tuple[str, ...] | None:
    """The sink columns that identify the rows of a window, if all keys of the operator are written. Else None.

    None for SESSION, because a slot can have two sessions of a key.
    """
    known: list[WindowAggregate | Regroup] = [*findings.operators, *findings.regroups]
    operator = next((one for one in known if one.name == relation.operator), None)
    if operator is None or operator.window.bounded_by_rows:
        return None
    operator_keys = dict(relation.keys)
    written: dict[str, str] = {}
    for value, column in zip(values, written_columns(sink)):
        if value.column is not None and value.column in operator_keys:
            written.setdefault(operator_keys[value.column], column.name)
    keys = [key.name for key in operator.keys]
    return tuple(written[key] for key in keys) if all(key in written for key in keys) else None


def matched(sink: Table, relation: Relation, statement: parsed.Insert) -> tuple[Typed, ...]:
    """The values of the sink's columns, by position, by the column list of INSERT, or by its PARTITION: "CAST(NULL AS
    INT)" for no value.

    Raises SqlError on a mismatch.
    """
    columns = written_columns(sink)
    partition = {name: _partition_value(sink, name, value) for name, value in statement.partition}
    targets = statement.columns or tuple(column.name for column in columns if column.name not in partition)
    for name in statement.columns:
        if name not in {column.name for column in columns}:
            raise SqlError(f"table {sink.name!r} has no column {name!r} to insert into", statement.at)
    if len(targets) != len(relation.columns):
        raise SqlError(
            f"the query has {counted(len(relation.columns), 'column')} ({', '.join(relation.names)}), "
            f"table {sink.name!r} takes {len(targets)} ({', '.join(targets)})",
            statement.at,
        )
    given = dict(zip(targets, relation.columns))
    values = []
    for column in columns:
        source = given.get(column.name)
        if column.name in partition:
            values.append(partition[column.name])
            continue
        if source is None:
            values.append(Typed(f"CAST(NULL AS {column.type.spark})", column.type.with_nullable(True)))
            continue
        if not _fits(source.type, column.type):
            raise SqlError(
                f"column {column.name!r} of table {sink.name!r} is {column.type.flink}, "
                f"the query's column {source.name!r} is {source.type.flink}: CAST it, or change the table",
                statement.at,
            )
        values.append(source.typed)
    _check_partitions(sink, relation, given, statement)
    return tuple(values)


def _partition_value(sink: Table, name: str, value: ast.Expression) -> Typed:
    """The value of a column in PARTITION: "CAST('2024-06-18' AS STRING)". Raises SqlError."""
    if name not in sink.partition_keys:
        keys = ", ".join(sink.partition_keys) or "none"
        raise SqlError(f"table {sink.name!r} has no partition column {name!r}: it has {keys}", value.at)
    if not isinstance(value, ast.Literal) or value.kind not in ("string", "number"):
        raise SqlError(f"PARTITION takes a text or a number: {text_of(value)} is none", value.at)
    kind = sink.column(name).type
    return Typed(f"CAST({string_literal(value.text)} AS {kind.spark})", kind.with_nullable(False))


def _check_partitions(sink: Table, relation: Relation, given: dict[str, ScopeColumn], statement: parsed.Insert) -> None:
    """Raises SqlError if a window's rows can be in several partitions. A window is published whole, by one rename."""
    if relation.window is None or not relation.window.ends_on_grid or connector_of(sink).replaces_windows:
        return
    for key in sink.partition_keys:
        source = given.get(key)
        if source is not None and not source.of_window:
            raise SqlError(
                f"partition column {key!r} of table {sink.name!r} must depend on the window alone (for example "
                f"DATE_FORMAT(window_end, 'yyyy-MM-dd')): a window is published whole, as one file",
                statement.at,
            )


def _fits(source: DataType, target: DataType) -> bool:
    """Flink's implicit casts into a sink."""
    if source.name == "NULL" or (source.is_string and target.is_string) or (source.is_bytes and target.is_bytes):
        return True
    if source.is_numeric and target.is_numeric:
        if source.is_integer and target.is_integer:
            return source.digits <= target.digits
        return target.name in ("DECIMAL", "DOUBLE") or source.name == target.name == "FLOAT"
    if source.has_fraction_of_second and source.name == target.name:
        return True
    if source.name == target.name and source.children and len(source.children) == len(target.children):
        return all(_fits(a, b) for (_, a), (_, b) in zip(source.children, target.children))
    return source.with_nullable(True) == target.with_nullable(True)
