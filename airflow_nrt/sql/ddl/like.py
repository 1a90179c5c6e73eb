"""CREATE TABLE … LIKE: the parts that a table takes over from another one.

As in Flink a table takes over everything, and only options may be in both. `(EXCLUDING WATERMARKS …)` changes that.
Physical columns are always taken over.
"""

from __future__ import annotations

from dataclasses import replace

from airflow_nrt.model.tables import Column, Table
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.parse import parsed
from airflow_nrt.sql.parse.create_table import LIKE_FEATURES

_NEVER_OVERWRITTEN = ("CONSTRAINTS", "DISTRIBUTION", "PARTITIONS")


def taken_over(statement: parsed.CreateTable, base: Table) -> Table:
    """The base table without the parts that LIKE excludes or the statement overwrites. Raises SqlError at conflicts."""
    rules = _rules(statement)

    def kept(feature: str, both: bool, what: str) -> bool:
        rule = rules[feature]
        if rule == "INCLUDING" and both:
            others = "EXCLUDING" if feature in _NEVER_OVERWRITTEN else f"EXCLUDING {feature} or OVERWRITING"
            raise SqlError(f"table {base.name!r} has {what} already: write LIKE … ({others} {feature})", statement.at)
        return rule == "INCLUDING" or (rule == "OVERWRITING" and not both)

    own = {definition.name for definition in statement.columns if definition.type is None or definition.metadata}

    def stays(column: Column) -> bool:
        if not column.is_computed:
            return True
        feature = "METADATA" if column.metadata is not None else "GENERATED"
        return kept(feature, column.name in own, f"the column {column.name!r}")

    options = {} if rules["OPTIONS"] == "EXCLUDING" else dict(base.options)
    for key, _, _ in statement.options if rules["OPTIONS"] == "INCLUDING" else ():
        kept("OPTIONS", key in options, f"the option {key!r}")
    table = replace(
        base,
        columns=tuple(column for column in base.columns if stays(column)),
        watermark=base.watermark
        if base.watermark and kept("WATERMARKS", statement.watermark is not None, "a WATERMARK")
        else None,
        partition_keys=base.partition_keys
        if base.partition_keys and kept("PARTITIONS", bool(statement.partition_keys), "PARTITIONED BY")
        else (),
        primary_key=base.primary_key
        if base.primary_key and kept("CONSTRAINTS", bool(statement.primary_key), "a PRIMARY KEY")
        else (),
        options=options,
    )
    _check_watermark(statement, table)
    return table


def _rules(statement: parsed.CreateTable) -> dict[str, str]:
    rules = dict.fromkeys(LIKE_FEATURES, "INCLUDING") | {"OPTIONS": "OVERWRITING"}
    for strategy, feature in sorted(statement.like_rules, key=lambda rule: rule[1] != "ALL"):
        if strategy == "OVERWRITING" and feature in _NEVER_OVERWRITTEN:
            raise SqlError(f"LIKE can't overwrite {feature}: write EXCLUDING {feature}", statement.at)
        for name in LIKE_FEATURES if feature == "ALL" else (feature,):
            rules[name] = strategy
    return rules


def _check_watermark(statement: parsed.CreateTable, table: Table) -> None:
    """Raises SqlError if a watermark is taken over without its columns."""
    names = {column.name for column in table.columns} | {definition.name for definition in statement.columns}
    for name in table.watermark.reads if table.watermark else ():
        if name not in names:
            raise SqlError(
                f"the WATERMARK of {table.name!r} reads column {name!r}: add EXCLUDING WATERMARKS", statement.at
            )
