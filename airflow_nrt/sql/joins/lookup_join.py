"""Lookup joins: each row with the rows of a dimension table as it is when the row's batch is absorbed.

A row of windows is joined with the table as it is when its window fires.

    FROM orders AS o JOIN shops FOR SYSTEM_TIME AS OF o.proctime AS s ON o.shop = s.id

The dimension is a view of the session, which the engine fills with versions of the table. Each version has the
processing times (ms) from which on and up to which it is valid. So one SQL serves the stream, whose batch knows one
version, and the batch driver, whose rows were joined with several.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.basics.spelling import quote
from airflow_nrt.model.internal_columns import ABSORBED, NUMBER
from airflow_nrt.model.lookups import ROW_NUMBER, VALID_FROM, VALID_UNTIL, view_of
from airflow_nrt.model.tables import Table
from airflow_nrt.sql.ddl.ddl import scope_columns
from airflow_nrt.sql.errors import NotThereYet, SqlError
from airflow_nrt.sql.expressions.functions.clock import PROCTIME_SQL
from airflow_nrt.sql.expressions.scope import ScopeColumn
from airflow_nrt.sql.from_clause.laterals import as_several, hidden_of_several, renamed
from airflow_nrt.sql.joins.as_of_sides import Sides, sides_of
from airflow_nrt.sql.joins.common_columns import CommonColumns
from airflow_nrt.sql.joins.folded_joins import folded
from airflow_nrt.sql.logical.join import Lookup
from airflow_nrt.sql.logical.scan import Scan
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import text_of
from airflow_nrt.sql.relations.column_demand import Demand
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.join_sides import Named, side_columns
from airflow_nrt.sql.relations.relation import Relation
from airflow_nrt.sql.selects.proctime_above_windows import with_firing_clock

_LAST = END_OF_TIME - 1
"""The processing time of rows that no stream has absorbed: they are joined with the last version."""


def lookup_join(
    findings: Findings, node: ast.Join, right: ast.TableVersion, left: Named, table: Table, demand: Demand
) -> Relation:
    """The rows of the left side, which have their processing time, with the columns of the dimension. Raises SqlError.

    `demand` is that of the SELECT over the join.
    """
    relation, alias = left
    _check_side(right, relation)
    title = right.alias or right.name
    dimension = Relation(quote(view_of(table)), _plain(scope_columns(table)), (), Scan(right.name, right.alias))
    common = CommonColumns.of(node, side_columns(relation, alias), side_columns(dimension, title))
    joined = folded(common.on, left, (dimension, title), demand.where)
    stays = partial(_stays, relation)
    place = replace(relation, keys=()).place
    sides = sides_of(joined, left, (dimension, title), demand, stays, place)
    sides = _checked(sides, joined, relation, table)
    relation = replace(relation, columns=tuple(old for old, _ in sides.kept))
    findings.note_all_columns(replace(relation, columns=tuple(old for old, _ in sides.kept if not old.proctime)))
    if not findings.note_lookup(table, [old.name for old, _ in sides.found]):
        raise NotThereYet(f"reading {table.name!r} twice with different OPTIONS", right.at)
    outer = joined.kind == "LEFT"
    is_unique = bool(table.primary_key) and sides.equal.keys() >= {f"{title}.{name}" for name in table.primary_key}
    timed = relation
    if not relation.has_batch:
        timed = replace(relation, text=with_firing_clock(findings, relation, right.at))
    text = _text(timed, sides, dimension.text, outer, is_unique)
    own = tuple(column for _, column in sides.kept)
    given = (
        replace(column, type=column.type.with_nullable(outer or column.type.nullable)) for _, column in sides.found
    )
    columns = (*own, *given)
    rows = renamed(relation, text, columns, own) if is_unique else as_several(relation, text, columns, own, right.at)
    return common.shown(replace(rows, node=Lookup(relation.node, dimension.node, node, text_of(right.time))))


def _checked(sides: Sides, node: ast.Join, relation: Relation, table: Table) -> Sides:
    """Raises SqlError if the condition has no equality with a column of the dimension, or reads what it can't."""
    if node.condition is None or not sides.equal:
        raise SqlError(
            f"Temporal table join requires an equality condition on fields of table [{table.name}]: write for example "
            f"ON o.key = {table.name}.{table.physical[0].name}",
            node.at,
        )
    compared = (old.name for old, column in sides.kept if column.name in sides.condition.columns)
    if any(map(relation.is_window_column, compared)):
        raise NotThereYet("ON of a lookup join that reads the bounds of a window", node.at, "put it into WHERE")
    return sides


def _check_side(right: ast.TableVersion, relation: Relation) -> None:
    """Raises NotThereYet unless the left side has rows of sources, or of windows that fire."""
    if relation.has_sessions:
        raise NotThereYet("a lookup join of SESSION before its GROUP BY", right.at, "join the rows below SESSION")
    if not relation.has_batch and relation.window is None:
        raise NotThereYet("a lookup join above a join or OVER", right.at, "join the rows of the source, below it")


def _plain(columns: tuple[ScopeColumn, ...]) -> tuple[ScopeColumn, ...]:
    """The columns of a dimension, which has no time attributes."""
    return tuple(replace(column, rowtime=False, rowtime_path=(), proctime=False) for column in columns)


def _stays(relation: Relation, column: ScopeColumn) -> bool:
    """Whether a column of the left side stays also if no query reads it: it decides what can be planned above."""
    is_time = column.rowtime or column.proctime or bool(column.rowtime_path)
    return is_time or column.role is not None or column.name in (relation.partition or ())


def _text(relation: Relation, sides: Sides, view: str, outer: bool, is_unique: bool) -> str:
    """The join as a FROM item. A time attribute is computed again, so that the table need not be read for it."""
    kept = [pair for pair in sides.kept if not relation.is_window_column(pair[0].name)]
    own = [f"{PROCTIME_SQL if old.proctime else quote(old.name)} AS {quote(new.name)}" for old, new in kept]
    given = [f"{quote(old.name)} AS {quote(new.name)}" for old, new in sides.found]
    names = [quote(new.name) for _, new in (*kept, *sides.found)]
    names += [name if is_unique else hidden_of_several(name, relation) for name in relation.hidden]
    rows = f"(SELECT {', '.join([*own, *dict.fromkeys((*relation.hidden, ABSORBED))])} FROM {relation.text})"
    versions = f"(SELECT {', '.join([*given, f'{ROW_NUMBER} AS {NUMBER}', VALID_FROM, VALID_UNTIL])} FROM {view})"
    absorbed = f"coalesce({ABSORBED}.clock, {_LAST}L)"
    return (
        f"(SELECT {', '.join(names)} FROM {rows} AS _nrt_l {'LEFT' if outer else 'INNER'} JOIN {versions} AS _nrt_d "
        f"ON ({sides.condition.sql}) AND {absorbed} >= {VALID_FROM} AND {absorbed} < {VALID_UNTIL})"
    )
