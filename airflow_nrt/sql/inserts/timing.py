"""The timing in the options of a sink, or in the hints of an INSERT: checks that it fits the query and the sink."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.internal_columns import CLOCK
from airflow_nrt.model.operators import WindowAggregate
from airflow_nrt.model.options.change_formats import DEBEZIUM
from airflow_nrt.model.result_timing import AT_ONCE, TIMING_OPTIONS, OutputOptions
from airflow_nrt.model.tables import Table
from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.inserts.inserts import written_columns
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.relation import Relation


def timing_of(sink: Table, at: Place) -> OutputOptions:
    """The timing of an insert into this table. Raises SqlError where its options contradict each other."""
    try:
        timing = OutputOptions.read(sink.options)
    except InputError as wrong:
        raise SqlError(f"table {sink.name!r}: {wrong}", at) from None
    _check_state_column(sink, timing.result_state, at)
    return timing


@contextmanager
def delayed(findings: Findings, timing: OutputOptions) -> Iterator[None]:
    """Operators that are planned inside keep their windows open until the last of their results."""
    findings.timing = timing
    try:
        yield
    finally:
        findings.timing = AT_ONCE


def check_timing(findings: Findings, sink: Table, relation: Relation, values: tuple[Typed, ...], at: Place) -> None:
    """Raises SqlError if the query can't have this timing, or the sink can't take its results.

    `values` are the sink's columns as expressions over the relation.
    """
    timing = OutputOptions.read(sink.options)
    if timing == AT_ONCE:
        return
    operators = findings.operators_below(relation.inputs)
    if relation.is_changing and not relation.adds_only:
        if timing != OutputOptions(update_rate=timing.update_rate):
            raise SqlError(
                f"table {sink.name!r}: results that are never complete have no timing but 'update-rate': leave the "
                "other options out, or GROUP BY the window_start and window_end of a windowing function",
                at,
            )
        return
    if not operators or relation.window is None:
        raise SqlError(
            f"table {sink.name!r}: the timing of results is for windows, and for results that change. These rows are "
            "published as they arrive: leave its options out",
            at,
        )
    try:
        timing.check_of_windows()
        if any(CLOCK in one.clock for one in _all_below(findings, operators)):
            timing.check_over_clock()
    except InputError as wrong:
        raise SqlError(f"table {sink.name!r}: {wrong}", at) from None
    if not timing.publishes_once:
        if relation.window.bounded_by_rows:
            _check_sessions(findings, sink, timing, operators, at)
        _check_operators(findings, operators, at)
        _check_takes_versions(sink, relation, values, at)


def check_untimed(table: Table, node: ast.TableName, written: Collection[str]) -> None:
    """Raises SqlError if a table that is only read has options of timing. `written` are those that the script writes.

    A query by itself may read a table that another report publishes.
    """
    hinted = [name for name, _ in node.options if name in TIMING_OPTIONS]
    declared = [name for name in table.options if name in TIMING_OPTIONS]
    if hinted or (declared and written and node.name not in written):
        raise SqlError(
            f"table {node.name!r} is read here, and {(hinted or declared)[0]!r} says when results are published: "
            "put it into WITH of the table that is written, or after its name, INSERT INTO t /*+ OPTIONS(…) */",
            node.at,
        )


def _check_state_column(sink: Table, name: str | None, at: Place) -> None:
    if name is None:
        return
    column = next((one for one in sink.physical if one.name == name), None)
    if column is None:
        raise SqlError(f"table {sink.name!r} has no column {name!r} for 'result-state'", at)
    if not column.type.is_string:
        raise SqlError(f"table {sink.name!r}: column {name!r} for 'result-state' must be a STRING", at)
    if name in (*sink.primary_key, *sink.partition_keys):
        raise SqlError(f"table {sink.name!r}: {name!r} changes with each result, so it can't be a key", at)


def _check_operators(findings: Findings, names: tuple[str, ...], at: Place) -> None:
    for operator in (one for one in findings.operators if one.name in names):
        if not operator.window.looked_at_early:
            raise NotThereYet("early results and late updates of OVER", at)
        if not operator.sources:
            raise NotThereYet("early results and late updates of windows over the results of windows", at)


def _check_sessions(findings: Findings, sink: Table, timing: OutputOptions, names: tuple[str, ...], at: Place) -> None:
    if sink.partition_keys:
        raise NotThereYet("several results of SESSION in a partitioned table", at, "leave PARTITIONED BY out")
    if len(names) > 1:
        raise NotThereYet("early results and late updates of sessions that a query combines", at)
    if any(CLOCK in one.clock for one in findings.operators if one.name in names):
        raise NotThereYet("early results of SESSION over processing time", at)


def _check_takes_versions(sink: Table, relation: Relation, values: tuple[Typed, ...], at: Place) -> None:
    """Raises SqlError if the sink can't replace a result. One that is published again replaces the one before."""
    if not connector_of(sink).takes_changes(sink):
        raise SqlError(
            f"table {sink.name!r} has no PRIMARY KEY, so that rows are appended to it and never changed: it takes no "
            "early results and no late updates. Declare PRIMARY KEY (…) NOT ENFORCED, use "
            f"'format' = '{DEBEZIUM.name}', or leave 'first-result' and 'late-updates' out",
            at,
        )
    if not sink.primary_key:
        return
    assert relation.window is not None
    roles = {column.name: column.role for column in relation.columns}
    written = {column.name: roles.get(value.column or "") for value, column in zip(values, written_columns(sink))}
    identifying = relation.window.identifying_roles
    if not any(written.get(name) in identifying for name in sink.primary_key):
        raise SqlError(
            f"table {sink.name!r}: its PRIMARY KEY ({', '.join(sink.primary_key)}) does not distinguish windows: add "
            f"the column that holds window_{'start' if 'start' in identifying else 'end'}",
            at,
        )


def _all_below(findings: Findings, names: tuple[str, ...]) -> Iterator[WindowAggregate]:
    for operator in (one for one in findings.operators if one.name in names):
        yield operator
        if not operator.sources:
            yield from _all_below(findings, findings.operators_below(operator.input.inputs))
