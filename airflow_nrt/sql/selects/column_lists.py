"""Column lists: `AS t (a, b)` after an alias, and the columns of a view."""

from __future__ import annotations

from dataclasses import replace

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.texts import counted
from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.relations.relation import Relation
from airflow_nrt.sql.selects.projection import check_titles


def renamed(relation: Relation, names: tuple[str, ...], at: Place) -> Relation:
    """The relation with the names of a column list, which is after its alias or before AS."""
    if names in ((), tuple(column.title for column in relation.columns)):
        check_titles(relation.columns, at)
        return relation
    if len(names) != len(relation.columns):
        raise SqlError(
            f"the column list has {counted(len(names), 'name')}, the query {counted(len(relation.columns), 'column')}",
            at,
        )
    renames = dict(zip(relation.names, names))
    items = [
        f"{quote(column.name)} AS {quote(renames[column.name])}"
        for column in relation.columns
        if not relation.is_window_column(column.name)
    ]
    return replace(
        relation,
        text=f"(SELECT {', '.join([*items, *relation.hidden])} FROM {relation.text})",
        columns=tuple(replace(column, name=name) for column, name in zip(relation.columns, names)),
        partition=relation.partition and tuple(renames[column] for column in relation.partition),
        keys=tuple((renames[column], key) for column, key in relation.keys),
        unique=tuple(tuple(renames[column] for column in key) for key in relation.unique),
        scan=None,
    )
