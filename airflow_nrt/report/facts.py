"""What a report means, as facts that can be compared: a home serves one meaning only.

Facts are what changes results. How often to look for files, how long a source may be idle or how large a batch is
change none, so a report may change them at any time.
"""

from __future__ import annotations

from collections.abc import Mapping

from airflow_nrt.report.operators import Regroup, WindowAggregate
from airflow_nrt.report.options import DOMAIN, FILE_OPTIONS, STATE_TTL, TIME_ZONE
from airflow_nrt.report.plan import Insert, Plan, Source
from airflow_nrt.report.tables import Table
from airflow_nrt.report.updating import (
    RecentRows,
    Updating,
    UpdatingAggregate,
    UpdatingJoin,
    UpdatingRows,
    UpdatingSessions,
)

_FREE_OPTIONS = frozenset(
    {
        "source.monitor-interval", "source.max-batch-size", "scan.watermark.idle-timeout", "source.ignore-corrupt",
        "source.unreadable-files",
        "partition.missing", "partition.time", "partition.max-delay", "partition.time-extractor.timestamp-pattern",
        "print-identifier", "standard-error",
        *(option.name for option in FILE_OPTIONS.values() if option.idle),
    }
)  # fmt: skip
_SETTINGS = (TIME_ZONE, STATE_TTL)


def data_facts(plan: Plan) -> dict[str, str]:
    """Every fact that decides the results, by a name that a person understands."""
    facts: dict[str, str] = {}
    for source in plan.sources:
        facts.update(_source_facts(source))
    operators: tuple[WindowAggregate | Regroup, ...] = (*plan.operators, *plan.regroups)
    for operator in operators:
        facts.update(_operator_facts(operator))
    for updating in plan.updating:
        facts.update(_updating_facts(updating))
    for insert in plan.inserts:
        facts.update(_insert_facts(insert))
    for function in plan.functions:
        facts[f"function {function.name}"] = f"{function.target}, source {function.source}"
    for name in _SETTINGS:
        if plan.setting(name) is not None:
            facts[f"setting {name}"] = plan.setting(name) or ""
    return facts


def changed_facts(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """The differences, one sentence each."""
    changes = []
    for name in [*old, *(name for name in new if name not in old)]:
        if name not in new:
            changes.append(f"{name} is gone (it was: {old[name]})")
        elif name not in old:
            changes.append(f"{name} is new: {new[name]}")
        elif old[name] != new[name]:
            changes.append(f"{name} was: {old[name]}; now: {new[name]}")
    return changes


def _source_facts(source: Source) -> dict[str, str]:
    table = source.table
    facts = _option_facts(f"source {source.name}", table)
    # How often it is monitored is free, but only an unbounded source rejects rows from the future.
    facts[f"source {source.name}, bounded"] = str("source.monitor-interval" not in table.options).lower()
    for column in table.columns:
        if column.name in source.columns:
            computed = f" AS {column.expression}" if column.expression else ""
            facts[f"source {source.name}, column {column.name}"] = f"{column.type}{computed}"
    if table.watermark is not None:
        facts[f"source {source.name}, watermark for {table.watermark.name}"] = table.watermark.text
    return facts


def _option_facts(label: str, table: Table) -> dict[str, str]:
    options = {
        name: value
        for name, value in table.options.items()
        if name not in _FREE_OPTIONS and not name.startswith(DOMAIN)
    }
    return {f"{label}, option {name}": value for name, value in sorted(options.items())}


def _operator_facts(operator: WindowAggregate | Regroup) -> dict[str, str]:
    label = f"window operator {operator.name}"
    facts = {f"{label}, window": str(operator.window), f"{label}, input": operator.input.sql}
    for call in operator.aggregates:
        facts[f"{label}, aggregate {call.name}"] = f"{call.text} {call.type}"
    return facts


def _updating_facts(operator: Updating) -> dict[str, str]:
    label = f"updating operator {operator.name}"
    if isinstance(operator, UpdatingJoin):
        sides = {f"{label}, {name}": query.sql for name, query in zip(("left", "right"), operator.inputs)}
        return {**sides, f"{label}, kind": operator.kind, f"{label}, condition": operator.condition}
    facts = {f"{label}, input": operator.input.sql}
    if isinstance(operator, RecentRows):
        facts[f"{label}, condition"] = operator.text
    elif isinstance(operator, UpdatingSessions):
        facts[f"{label}, gap"] = str(operator.gap)
    elif isinstance(operator, UpdatingAggregate):
        facts.update({f"{label}, aggregate {call.name}": f"{call.text} {call.type}" for call in operator.aggregates})
    elif isinstance(operator, UpdatingRows):
        facts.update({f"{label}, column {field.name}": sql for field, sql in operator.computed})
        facts.update({f"{label}, aggregate {one.call.name}": f"{one.call.text} {one.over}" for one in operator.framed})
        facts[f"{label}, limit"] = str(operator.limit)
    return facts


def _insert_facts(insert: Insert) -> dict[str, str]:
    label = f"insert into {insert.name}"
    facts = {f"{label}, query": insert.query.sql}
    if insert.order:
        facts[f"{label}, order"] = ", ".join(insert.order)
    facts.update(_option_facts(label, insert.sink))
    for column in insert.sink.physical:
        facts[f"{label}, column {column.name}"] = str(column.type)
    if (insert.changes or insert.tells_changes) and insert.sink.primary_key:
        facts[f"{label}, key"] = ", ".join(insert.sink.primary_key)
    if insert.sink.partition_keys:
        facts[f"{label}, partitioned by"] = ", ".join(insert.sink.partition_keys)
    return facts
