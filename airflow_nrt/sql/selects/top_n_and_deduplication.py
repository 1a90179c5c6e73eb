"""ROW_NUMBER, RANK and DENSE_RANK inside windows: Top-N and deduplication (FLIP-145)."""

from __future__ import annotations

from collections.abc import Sequence

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import BIGINT
from airflow_nrt.model.internal_columns import POSITION, WINDOW_END
from airflow_nrt.sql.errors import NotThereYet, SqlError
from airflow_nrt.sql.expressions.expressions import Compiler
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.relations.relation import Relation

UNORDERED = ("MAP", "ROW", "ARRAY")


def check_ranking(node: ast.Call, over: ast.Over) -> None:
    """Raises SqlError at a clause that a ranking does not take."""
    if node.arguments:
        raise SqlError(f"{node.name} takes no argument", node.at)
    check_all_rows(node)
    if not over.order:
        raise SqlError(f"{node.name} needs an ORDER BY inside OVER", over.at)
    if over.frame is not None:
        raise SqlError(f"{node.name} takes no frame", over.at)


def check_all_rows(node: ast.Call) -> None:
    """Raises SqlError at a clause that leaves rows out: the function depends on the position of each row."""
    if node.distinct or node.filter is not None or node.within:
        raise SqlError(
            f"{node.name} takes neither DISTINCT nor FILTER nor WITHIN GROUP: leave rows out in a subquery in FROM",
            node.at,
        )


def ranked(node: ast.Call, over: ast.Over, relation: Relation, compiler: Compiler) -> Typed:
    """Gives "CAST(row_number() OVER (PARTITION BY _nrt_end, … ORDER BY `price` DESC NULLS LAST, …) AS BIGINT)"."""
    check_ranking(node, over)
    keys = [compiler.compile(key) for key in over.partition]
    _check_partition(node, keys, relation)
    order, read = order_of(over, compiler)
    if node.name == "ROW_NUMBER":
        order += ties(over.order, compiler, relation)
    partition = ", ".join([WINDOW_END, *(key.sql for key in keys)])
    columns = frozenset().union(*(key.columns for key in (*keys, *read)))
    sql = f"CAST({node.name.lower()}() OVER (PARTITION BY {partition} ORDER BY {', '.join(order)}) AS BIGINT)"
    return Typed(sql, BIGINT.with_nullable(False), columns=columns)


def order_of(over: ast.Over, compiler: Compiler) -> tuple[list[str], list[Typed]]:
    """The order inside OVER, "`price` DESC NULLS LAST", and the keys that it reads. NULL is the least value."""
    order, read = [], []
    for item in over.order:
        key = compiler.compile(item.expression)
        read.append(key)
        nulls_first = item.nulls_first if item.nulls_first is not None else not item.descending
        direction = "DESC" if item.descending else "ASC"
        order.append(f"{key.sql} {direction} NULLS {'FIRST' if nulls_first else 'LAST'}")
    return order, read


def _check_partition(node: ast.Call, keys: list[Typed], relation: Relation) -> None:
    roles = {relation.column(key.column).role for key in keys if key.column is not None}
    missing = [name for name, role in (("window_start", "start"), ("window_end", "end")) if role not in roles]
    if missing:
        raise NotThereYet(
            f"{node.name} without {' and '.join(missing)}", node.at, f"add {', '.join(missing)} to PARTITION BY"
        )


def ties(order: Sequence[ast.OrderItem], compiler: Compiler, relation: Relation) -> list[str]:
    """The order of rows that ORDER BY leaves equal: by arrival, "_nrt_pos.file ASC", then by content, "`shop` ASC".

    By a descending time the newest row is first, so that of equal ones the last to arrive is first.
    """
    latest = bool(order) and order[0].descending and compiler.compile(order[0].expression).type.is_timestamp
    direction = "DESC" if latest else "ASC"
    positions = [f"{POSITION}.{part} {direction}" for part in ("file", "block", "row") if relation.has_position]
    content = [f"{quote(c.name)} {direction}" for c in relation.columns if c.type.name not in UNORDERED]
    return [*positions, *content]
