"""SELECT without aggregates: columns and expressions over one relation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import count

from airflow_nrt.basics.spelling import quote
from airflow_nrt.model.internal_columns import ROWTIME, WINDOW_END
from airflow_nrt.sql.errors import Place, Problems, SqlError
from airflow_nrt.sql.expressions.expressions import Compiler
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.expressions.typed import TimeAttribute, Typed
from airflow_nrt.sql.kept_rows.buffered_rows import finished
from airflow_nrt.sql.kept_rows.kept_rows import demanded_items, finished_for, reads_of
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import children, has_over
from airflow_nrt.sql.relations.column_demand import Demand
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.join_sides import Named
from airflow_nrt.sql.relations.relation import Relation, raw_windows, union_inputs
from airflow_nrt.sql.relations.unique_keys import carried, computed, keys_of_numbers, keys_of_uuids, narrowed
from airflow_nrt.sql.selects.over_in_window import over_in_window
from airflow_nrt.sql.selects.proctime_above_windows import asks_for_clock, with_firing_clock
from airflow_nrt.sql.selects.subqueries import Subqueries

RelationOf = Callable[[ast.Relation], Named]


def has_subquery(node: ast.Expression) -> bool:
    """Whether a condition contains IN (SELECT …) or EXISTS."""
    inside = isinstance(node, ast.Exists) or (isinstance(node, ast.In) and node.query is not None)
    return inside or any(has_subquery(child) for child in children(node))


def plan_projection(
    findings: Findings,
    node: ast.Select,
    relation: Relation,
    alias: str | None,
    relation_of: RelationOf,
    demand: Demand | None = None,
) -> Relation:
    """A projection with a filter: "(SELECT upper(`shop`) AS `u`, _nrt_ts, … FROM `orders` WHERE (`n` > 2))".

    A pending windowing function stays pending if its columns only pass through.
    `relation_of` plans the FROM of a subquery. `demand` is that of the query that reads the projection.
    """
    ranks = any(has_over(item.expression) for item in node.items)
    if ranks or (node.where is not None and has_subquery(node.where)):
        node, relation = finished_for(findings, node, relation, alias, demand)
    items = expand(node.items, relation, alias)
    with_clock, has_clock = "", relation.has_batch
    clauses = [*(item.expression for item in node.items), *([node.where] if node.where is not None else [])]
    if relation.window is not None and asks_for_clock(clauses):
        with_clock, has_clock = with_firing_clock(findings, relation, node.at), True
    scope = Scope(relation.columns, alias, has_clock)
    if demand is not None and not relation.is_changing:
        items = demanded_items(items, scope, relation.partition or (), demand)
    subqueries = Subqueries(findings, relation, alias, relation_of)
    ranked = over_in_window(relation, Compiler(scope, place=relation.place)) if relation.window is not None else None
    compiler = Compiler(scope, ranked, relation.place, relation.identity)
    problems = Problems()
    compiled = [problems.attempt(partial(compiler.compile, item.expression)) for item in items]
    filter_compiler = Compiler(scope, subqueries if relation.window is not None else None, relation.place)
    condition = partial(filter_compiler.condition, node.where, "WHERE") if node.where is not None else None
    where = problems.attempt(condition) if condition is not None else None
    problems.raise_any()
    values = [value for value in compiled if value is not None]
    used = [*values, *([where] if where else [])]
    findings.note_columns(relation, used)
    names = column_names(items)
    titles = written_names(items)
    if relation.pending is not None and not _passes_through(relation, values, where):
        if relation.has_sessions:
            relation = finished(findings, relation, reads_of(Demand(node, demand), scope, alias))
        else:
            read = frozenset().union(*(value.columns for value in used))
            kept = tuple(column for column in relation.columns if column.role is not None or column.name in read)
            relation = raw_windows(replace(relation, columns=kept))
    columns = titled((_column(relation, name, value) for name, value in zip(names, values)), titles)
    selected = [
        f"{value.sql} AS {quote(name)}"
        for name, value, column in zip(names, values, columns)
        if relation.pending is None or column.role is None
    ]
    selected += relation.hidden
    rows = with_clock or relation.text
    text = f"(SELECT {', '.join(selected)} FROM {rows}{f' WHERE {where.sql}' if where else ''})"
    unique = carried(computed(relation, narrowed(relation.unique, node.where, scope)), names, values)
    if unique:
        # If the numbers are the only known key, the key of the sink is not checked: it is the author's promise.
        unique += carried(keys_of_numbers(relation, items, scope, values), names, values)
    unique += keys_of_uuids(items, names) if relation.unique else ()
    inherited = dict(relation.keys)
    keys = tuple(
        (name, inherited[value.column])
        for name, value in zip(names, values)
        if value.column is not None and value.column in inherited
    )
    return replace(
        relation,
        text=text,
        columns=columns,
        inputs=union_inputs([relation.inputs, *subqueries.inputs]),
        node=subqueries.above(relation.node),
        scan=None,
        keys=keys,
        unique=unique,
        partition=tuple(name for name, value in zip(names, values) if value.column in (relation.partition or ())),
    )


def _passes_through(relation: Relation, values: list[Typed], where: Typed | None) -> bool:
    def uses_window(typed: Typed) -> bool:
        return any(relation.is_window_column(name) for name in typed.columns)

    if where is not None and uses_window(where):
        return False
    partition = set(relation.partition or ())
    if relation.has_sessions and where is not None and not where.columns <= partition:
        return False
    if not partition <= {value.column for value in values}:
        return False
    return all(value.column is not None or not uses_window(value) for value in values)


def _column(relation: Relation, name: str, value: Typed) -> ScopeColumn:
    if value.column is not None:
        return replace(relation.column(value.column), name=name, table=None, shown=None, merged=False)
    read = [relation.column(column) for column in value.columns]
    # A windowing function that is written out has no time attribute inside a ROW column any more.
    rowtime = value.time_attribute is TimeAttribute.ROWTIME and any(column.rowtime_path for column in read)
    of_window = all(column.of_window for column in read)
    by_clock = value.time_attribute is TimeAttribute.PROCTIME
    return ScopeColumn(name, value.type, rowtime=rowtime, of_window=of_window, proctime=by_clock)


def expand(items: tuple[ast.SelectItem, ...], relation: Relation, alias: str | None) -> list[ast.SelectItem]:
    """The items with `*` and `t.*` written out."""
    expanded = []
    for item in items:
        if not isinstance(item.expression, ast.Star):
            expanded.append(item)
            continue
        star = item.expression
        columns = [column for column in relation.columns if star.table in (None, alias, column.table)]
        columns = [column for column in columns if column.name not in star.without]
        columns = [column for column in columns if star.table is not None or not column.merged]
        if not columns and star.table is None:
            raise SqlError("SELECT * needs FROM", star.at)
        if not columns:
            raise SqlError(f"there is no table {star.table!r} here", star.at)
        titles: set[str] = set()
        same: Counter[str] = Counter()
        for column in columns:
            title = column.title if column.title not in titles else f"{column.title}{same[column.title] - 1}"
            titles.add(title)
            same[title.rstrip("0123456789")] += 1
            shown = title if column.shown is not None else None
            expanded.append(ast.SelectItem(ast.Name((column.name,), star.at), shown))
    return expanded


def written_names(items: list[ast.SelectItem]) -> list[str]:
    """The names of the items: the alias, the column's own name, or Flink's `EXPR$0`. Raises SqlError for `_nrt_…`."""
    names: list[str] = []
    for index, item in enumerate(items):
        expression = item.expression
        name = item.alias or (expression.parts[-1] if isinstance(expression, ast.Name) else f"EXPR${index}")
        if name in (WINDOW_END, ROWTIME) or name.startswith("_nrt_"):
            raise SqlError(f"{name!r}: names that begin with _nrt_ are taken", expression.at)
        names.append(name)
    return names


def column_names(items: list[ast.SelectItem]) -> list[str]:
    """The names of a query's columns, which differ: a second `item` is `item0`, as in Flink."""
    names: dict[str, None] = {}
    numbers: dict[str, Iterator[int]] = {}
    for name in written_names(items):
        others = (f"{name}{n}" for n in numbers.setdefault(name, count()))
        names[name if name not in names else next(other for other in others if other not in names)] = None
    return list(names)


def titled(columns: Iterable[ScopeColumn], titles: Iterable[str]) -> tuple[ScopeColumn, ...]:
    """The columns of a query. A column whose name differs from its written one gets that as its title."""
    return tuple(c if c.name == title else replace(c, shown=title) for c, title in zip(columns, titles))


def check_titles(columns: Iterable[ScopeColumn], at: Place) -> None:
    """Raises SqlError if a query that others read has a name twice."""
    titles: set[str] = set()
    for column in columns:
        if column.title in titles:
            raise SqlError(f"two columns are named {column.title!r}: give one an alias", at)
        titles.add(column.title)
