"""The fingerprint of a plan: everything that decides its results, each under a name that a person understands.

Every field of every dataclass of a plan takes part, unless it is declared as metadata (`metadata.py`). Generated SQL,
internal names and words for people take no part: so a change of the planner alone does not change a fingerprint. What
the SQL of a query computes is in the `meaning` of its insert, in the report's own words.

A field that has its default is left out, so that a field that comes later changes no fingerprint.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from typing import Any

from airflow_nrt.basics.metadata import is_metadata
from airflow_nrt.basics.types import DataType
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.input.history import as_history
from airflow_nrt.model.input.policy import policy_options, without_policies
from airflow_nrt.model.internal_columns import CLOCK
from airflow_nrt.model.options.known import REPORT_OPTIONS, find
from airflow_nrt.model.options.option import Option
from airflow_nrt.model.options.settings import Settings
from airflow_nrt.model.plan import Insert, Lookup, Plan, Source
from airflow_nrt.model.tables import Column, Table
from airflow_nrt.model.windows import Window
from airflow_nrt.program.functions import PythonFunction

_OF_SPARK = ("spark.sql.ansi.", "spark.sql.caseSensitive", "spark.sql.legacy.", "spark.sql.session.timeZone")
"""Settings of Spark that decide the results of its functions."""
Fingerprint = Mapping[str, str]
Fact = tuple[str, str]
_OPERATORS = ("window operator", "operator over windows", "updating operator")
_ROWS = "rows for"
_DERIVED = (*_OPERATORS, _ROWS)
"""The prefixes of facts that follow from other facts, those of the inserts and their tables."""


def fingerprint(plan: Plan) -> dict[str, str]:
    """Every fact that decides the results, by its name."""
    facts = dict(_facts(plan, ""))
    for label, operators in zip(_OPERATORS, (plan.operators, plan.regroups, plan.updating)):
        for number, operator in enumerate(operators, 1):
            facts.update(_facts(operator, f"{label} {number}"))
    if len(plan.inserts) > 1 and (plan.operators or plan.updating):
        # Operators, and so their states, are numbered in this order.
        facts["order of the inserts"] = ", ".join(one.name for one in plan.inserts)
    if any(is_star(text) for one in plan.inserts for _, text in one.meaning):
        for source in plan.sources:
            # A star gives them in this order.
            names = (column.name for column in source.table.columns if column.name in source.columns)
            facts[f"source {source.name}, order of columns"] = ", ".join(names)
    return facts


def differences(old: Fingerprint, new: Fingerprint) -> list[str]:
    """The differences, one sentence each. Those that follow from others are named only where there are no others."""
    found = {name: _difference(name, old, new) for name in {**old, **new} if old.get(name) != new.get(name)}
    return [text for name, text in found.items() if not name.startswith(_DERIVED)] or list(found.values())


def changes_between(made_for: Plan, plan: Plan) -> list[str]:
    """The differences between the results of two plans of one planner, one sentence each.

    Equal plans have equal results, however differently their reports are spelled. Their input policies may differ.
    """
    made_for, plan = without_policies(made_for), without_policies(plan)
    if _without_origin(made_for) == _without_origin(plan):
        return []
    return differences(fingerprint(made_for), fingerprint(plan))


def policies_in(facts: Fingerprint, source: Source) -> dict[str, str] | None:
    """The options of the input policy of a source in the facts of a home, None if it has no facts of the source."""
    if not any(name.startswith(f"source {source.name}, ") for name in facts):
        return None
    named = _of_policy(source.table)
    return {named[name]: text for name, text in facts.items() if name in named}


def without_policies_in(facts: Fingerprint, plan: Plan) -> Fingerprint:
    """The facts without those of input policies."""
    named = {name for source in plan.sources for name in _of_policy(source.table)}
    named |= {name for one in plan.lookups for name in _of_policy(one.table, "dimension")}
    return {name: text for name, text in facts.items() if name not in named}


def with_policies_of(older: Fingerprint, facts: Fingerprint, plan: Plan) -> Fingerprint:
    """The facts, with the input policies of older ones."""
    kept = {name: text for source in plan.sources for name, text in older.items() if name in _of_policy(source.table)}
    return {**without_policies_in(facts, plan), **kept}


def _of_policy(table: Table, label: str = "source") -> dict[str, str]:
    """The options of an input policy, by the names of their facts."""
    return {f"{label} {table.name}, option {name}": name for name in policy_options(table)}


def _without_origin(plan: Plan) -> Plan:
    settings = tuple((name, value) for name, value in plan.settings if _decided(REPORT_OPTIONS, name, value))
    sources = tuple(replace(one, table=_of_its_data(one.table)) for one in plan.sources)
    lookups = tuple(replace(one, table=_of_its_data(one.table)) for one in plan.lookups)
    inserts = tuple(replace(one, sink=_of_its_data(_sink(one))) for one in plan.inserts)
    same = {"name": "", "script": "", "base": "", "built": None, "given": Settings()}
    return replace(plan, settings=settings, sources=sources, lookups=lookups, inserts=inserts, **same)  # type: ignore[arg-type]


def _of_its_data(table: Table) -> Table:
    return replace(table, options=dict(_options(connector_of(table).options, table.options)))


def is_star(text: str) -> bool:
    """Whether an item of a SELECT gives all columns of a table, in their order."""
    return text == "*" or text.endswith(".*")


def _read(source: Source) -> set[str]:
    """The columns that are read, and those that they are computed from."""
    table = source.table
    found = {*source.columns, *(table.watermark.reads if table.watermark is not None else ())}
    return found.union(*(column.reads for column in table.columns if column.name in found))


def _difference(name: str, old: Fingerprint, new: Fingerprint) -> str:
    if name not in new:
        return f"{name} is gone (it was: {old[name]})"
    if name not in old:
        return f"{name} is new: {new[name]}"
    return f"{name} was: {old[name]}; now: {new[name]}"


# ---------------------------------------------------------------------------------------------------- facts


def _facts(value: Any, label: str) -> Iterator[Fact]:
    """The facts of a value that is called by this label."""
    match value:
        case Plan():
            for part in (*value.sources, *value.lookups, *value.inserts, *value.functions):
                yield from _facts(part, "")
            for name, text in _options(REPORT_OPTIONS, dict(value.settings)):
                yield f"setting {name}", text
        case Source():
            yield from _source(value, f"source {value.name}")
        case Lookup():
            yield from _source(value.read, f"dimension {value.name}")
        case Insert():
            label = f"insert into {value.name}"
            yield from _table(_sink(value), label)
            yield f"{label}, order of columns", ", ".join(column.name for column in value.sink.physical)
            yield from ((f"{label}, {clause}", text) for clause, text in value.meaning)
            yield from _fields(value, f"{_ROWS} {value.name}", but=("name", "sink", "meaning"))
        case PythonFunction():
            yield from _fields(value, label or f"function {value.name}", but=("name",) if not label else ())
        case DataType():
            yield label, str(value)
        case Window():
            yield f"{label}, kind", value.kind
            yield from _fields(value, label)
        case None:
            return
        case tuple() if any(map(is_dataclass, value)):
            for number, one in enumerate(value, 1):
                yield from _facts(one, f"{label} {number}")
        case _ if is_dataclass(value):
            yield from _fields(value, label)
        case _:
            yield label, _text(value)


def _fields(value: Any, label: str, but: tuple[str, ...] = ()) -> Iterator[Fact]:
    for field in fields(value):
        content = getattr(value, field.name)
        if not is_metadata(field) and field.name not in but and content != _default(field):
            yield from _facts(content, f"{label}, {field.name.replace('_', ' ')}")


def _default(field: Field[Any]) -> Any:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(_text, value)) or "none"
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    if text == CLOCK:
        return "processing time"
    return repr(text) if "," in text else text


# ---------------------------------------------------------------------------------------------------- tables


def _source(source: Source, label: str) -> Iterator[Fact]:
    """The facts of a table that is read; of its columns, only those that are read."""
    table = source.table
    places, read = _places(table), _read(source)
    if places:
        yield f"{label}, fields of a line", str(len(places))
    for column in table.columns:
        if column.name in read:
            yield f"{label}, column {column.name}", _column(column)
            if column.name in places:
                yield f"{label}, field of {column.name}", str(places[column.name])
    yield from _table(replace(table, columns=()), label)
    if table.watermark is not None:
        yield f"{label}, watermark for {table.watermark.name}", table.watermark.text
    if table.history is not None:
        yield from _source(as_history(source), f"{label}, history")
    yield from _fields(source, label, but=("table",))


def _sink(insert: Insert) -> Table:
    """The primary key of rows that never change is only a promise: no result depends on it."""
    return insert.sink if insert.changes or insert.emits_changes else replace(insert.sink, primary_key=())


def _places(table: Table) -> dict[str, int]:
    """The position of each column in a line of its files, from 1; empty where fields have names."""
    if table.format != "csv":
        return {}
    in_files = [column.name for column in table.physical if column.name not in table.partition_keys]
    return {name: number for number, name in enumerate(in_files, 1)}


def _column(column: Column) -> str:
    metadata = f" METADATA FROM '{column.metadata}'" if column.metadata else ""
    computed = f" AS {column.text}" if column.text and not metadata else ""
    return f"{column.type}{metadata}{computed}"


def _table(table: Table, label: str) -> Iterator[Fact]:
    yield f"{label}, connector", table.connector
    for column in table.columns:
        if not column.is_computed:
            yield f"{label}, column {column.name}", str(column.type)
    for name, text in sorted(_options(connector_of(table).options, table.options)):
        if name != "connector":
            yield f"{label}, option {name}", text
    for name, keys in (("primary key", table.primary_key), ("partitioned by", table.partition_keys)):
        if keys:
            yield f"{label}, {name}", _text(keys)


def _options(known: Mapping[str, Option], options: Mapping[str, str]) -> Iterator[Fact]:
    for name, text in options.items():
        decided = _decided(known, name, text)
        if decided is not None:
            yield name, decided


def _decided(known: Mapping[str, Option], name: str, text: str) -> str | None:
    option = find(name, known)
    if option is None:
        return text if name.startswith(_OF_SPARK) else None
    return option.decided_by(text)
