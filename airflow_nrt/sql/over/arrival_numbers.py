"""ROW_NUMBER in the order of arrival below a window of a rowtime: `ORDER BY PROCTIME()`, Flink's keep-first.

The first row of a key is the one that came first, whatever its rowtime. It is known when the row is absorbed, and the
row stays one of its source: it keeps its rowtime, and is late as any other. So the operator of the window numbers the
rows that it reads (`model/numbering.py`), and no watermark is waited for.

Below a window of processing time, such numbers are an OVER as any other (`row_windows.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import BIGINT
from airflow_nrt.model.internal_columns import ARRIVAL, NUMBERED
from airflow_nrt.model.numbering import Numbering
from airflow_nrt.model.options.known import STATE_TTL
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.errors import NotThereYet
from airflow_nrt.sql.expressions.expressions import Compiler
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.over.first_rows import is_live
from airflow_nrt.sql.over.periods import period_of
from airflow_nrt.sql.over.row_windows import is_row_number, titled_call
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import text_of
from airflow_nrt.sql.parse.walk import children, rewritten, unqualified
from airflow_nrt.sql.relations.column_demand import Demand, passed_as
from airflow_nrt.sql.relations.findings import Boundless, Findings
from airflow_nrt.sql.relations.relation import Relation
from airflow_nrt.sql.selects.projection import expand

_KEY = "_nrt_by_"


def numbered_on_arrival(
    findings: Findings, node: ast.Select, relation: Relation, alias: str | None, demand: Demand
) -> tuple[ast.Select, Relation] | None:
    """The SELECT with a column in place of ROW_NUMBER, and its rows with this column. None unless the numbers follow
    processing time, and a window above takes the rows by a rowtime. Raises SqlError.

    The rows are those of "SELECT *, `user` AS `_nrt_by_0` FROM `visits` WHERE (`n` > 2)".
    """
    time = passed_as(node, demand.timed_by)
    call = _numbering(node, relation, alias)
    if call is None or call.over is None or time is None or not _is_rowtime(relation, time):
        return None
    if len(relation.inputs) > 1:
        raise NotThereYet(
            "ROW_NUMBER by processing time of the rows of several tables, below a window of a rowtime", call.at
        )
    compiler = Compiler(Scope(relation.columns, alias), place=relation.place)
    keys = [compiler.compile(key) for key in call.over.partition]
    where = compiler.condition(node.where, "WHERE") if node.where is not None else None
    findings.note_columns(relation, [*keys, *([where] if where is not None else [])])
    names = tuple(f"{_KEY}{n}" for n in range(len(keys)))
    items = ["*", *(f"{key.sql} AS {quote(name)}" for name, key in zip(names, keys))]
    sql = f"SELECT {', '.join(items)} FROM {relation.text}{f' WHERE {where.sql}' if where is not None else ''}"
    rowtime = ast.Name((time,), call.at)
    ends = [period_of(key, rowtime) for key in unqualified(call.over.partition, alias)]
    period = min((one for one in ends if one is not None), key=lambda one: one.longest, default=None)
    shown = next((item.alias for item in node.items if item.expression == call), None)
    limit = demand.limit(shown) if shown is not None else None
    is_kept = period is not None or not any(is_live(one) for one in findings.tables_below(relation.inputs))
    idle = None if is_kept else findings.idle_ttl
    numbering = Numbering(sql, relation.text, names, None if limit is None else max(limit, 1), period, idle)
    findings.numbered[sql] = _boundless(call, rowtime)
    columns = (*relation.columns, ScopeColumn(ARRIVAL, BIGINT.with_nullable(False)))
    rows = replace(relation, text=quote(NUMBERED), columns=columns, numbering=numbering)
    return _over_numbers(node, relation, alias, call), rows


def check_numberings(plan: Plan, findings: Findings) -> None:
    """Raises NotThereYet where anything but a window reads rows that are numbered in the order of arrival."""
    queries = [one.input for one in (*plan.operators, *plan.regroups) if getattr(one, "numbering", None) is None]
    queries += [query for one in plan.updating for query in one.inputs]
    queries += [one.query for one in plan.inserts]
    texts = [*(one.sql for one in queries), *findings.numbered]
    if any(NUMBERED in text for text in texts):
        cause = next(iter(findings.numbered.values()))
        raise NotThereYet(
            "ROW_NUMBER by processing time where anything but one window of a rowtime reads its rows",
            cause.at,
        )


def _numbering(node: ast.Select, relation: Relation, alias: str | None) -> ast.Call | None:
    """The call that numbers these rows by processing time, if it is the only call with OVER."""
    calls = list(dict.fromkeys(part for item in node.items for part in _overs(item.expression)))
    are_of_source = relation.has_batch and relation.pending is None and not relation.is_changing
    if len(calls) != 1 or not are_of_source:
        return None
    call = calls[0]
    if call.over is None or not is_row_number(call) or len(call.over.order) != 1 or call.over.order[0].descending:
        return None
    by = call.over.order[0].expression
    if isinstance(by, ast.Call):
        return call if by.name == "PROCTIME" and not by.arguments else None
    scope = Scope(relation.columns, alias)
    return call if isinstance(by, ast.Name) and scope.has(by) and scope.time_column(by).proctime else None


def _overs(node: ast.Expression) -> Iterator[ast.Call]:
    if isinstance(node, ast.Call) and node.over is not None:
        yield node
        return
    for child in children(node):
        yield from _overs(child)


def _is_rowtime(relation: Relation, name: str) -> bool:
    return any(column.rowtime for column in relation.columns if column.name == name)


def _over_numbers(node: ast.Select, relation: Relation, alias: str | None, call: ast.Call) -> ast.Select:
    """The SELECT over numbered rows."""

    def number(part: object) -> ast.Expression | None:
        return ast.Name((ARRIVAL,), call.at) if part == call else None

    items = tuple(
        replace(item, expression=rewritten(item.expression, number), alias=titled_call(item, n))
        for n, item in enumerate(expand(node.items, relation, alias))
    )
    return replace(node, items=items, where=None)


def _boundless(call: ast.Call, rowtime: ast.Name) -> Boundless:
    clause = (
        f"add CAST({text_of(rowtime)} AS DATE) to its PARTITION BY, so that it forgets keys with their day (not below "
        "SESSION)"
    )
    ttl = f"SET '{STATE_TTL}' = '30 d', so that a key without a row for so long begins anew"
    return Boundless("ROW_NUMBER below a window", clause, call.at, (ttl,))
