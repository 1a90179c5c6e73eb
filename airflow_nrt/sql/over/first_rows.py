"""The first rows of a key below a window: `WHERE n = 1` of ROW_NUMBER by rowtime, Flink's deduplication by event time.

Elsewhere such a ranking changes as rows arrive. A window needs rows that stay, with their time. So a row gets its
number when the watermark passes it, as in any OVER by time, and what comes earlier after that is late.

What is kept of a key ends with a day among its keys (`periods.py`). Otherwise a TTL ends it, by event time: a key
without rows for so long begins anew. Then the last `n` rows of a key have all that `WHERE n <= 3` asks for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.options.known import REPORT_OPTIONS, STATE_TTL, UNBOUNDED_STATE
from airflow_nrt.model.tables import Table
from airflow_nrt.sql.over.periods import grows
from airflow_nrt.sql.over.row_windows import is_row_number, numbers_rows_in_order
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import text_of
from airflow_nrt.sql.parse.walk import rewritten
from airflow_nrt.sql.relations.column_demand import Demand
from airflow_nrt.sql.relations.findings import Boundless, Findings
from airflow_nrt.sql.relations.relation import Relation


def idle_ttl(given: Mapping[str, str]) -> int | None:
    """How long keys are kept under these settings (ms). None for ever: without a TTL, or with consent."""
    ttl, consent = (REPORT_OPTIONS[name] for name in (STATE_TTL, UNBOUNDED_STATE))
    try:
        kept: int | None = None if consent.of(given) == "allow" else ttl.of(given)
    except ValueError:
        # SET reports the error.
        return None
    return kept or None


def counted_in_time(
    findings: Findings, node: ast.Select, relation: Relation, alias: str | None, demand: Demand
) -> ast.Select:
    """The SELECT with counts of the rows so far in place of its row numbers, if a window above reads their time."""
    if not demand.in_windows or not numbers_rows_in_order(node, relation, alias):
        return node
    idle = findings.idle_ttl if any(is_live(one) for one in findings.tables_below(relation.inputs)) else None

    def counted(part: object, most: int | None) -> ast.Call | None:
        if not isinstance(part, ast.Call) or not is_row_number(part):
            return None
        assert part.over is not None
        time = part.over.order[0].expression
        growing = [key for key in part.over.partition if grows(key, time)][-1:]
        others = tuple(key for key in part.over.partition if key not in growing)
        now = ast.Bound(ast.Literal("number", "0", part.at), True)
        over = replace(part.over, partition=(*others, *growing), growing=bool(growing))
        if growing or most is None:
            over = replace(over, frame=ast.Frame("ROWS", ast.Bound(None, False), now, "", part.at))
        else:
            low = ast.Bound(ast.Literal("number", str(most), part.at), False)
            over = replace(over, frame=ast.Frame("ROWS", low, now, "", part.at), idle=idle)
        return replace(part, name="COUNT", arguments=(ast.Star(None, part.at),), over=over)

    items = []
    for item in node.items:
        most = demand.limit(item.alias) if idle is not None and item.alias is not None else None
        limit = None if most is None else max(most, 1)
        items.append(replace(item, expression=rewritten(item.expression, partial(counted, most=limit))))
    return replace(node, items=tuple(items))


def is_live(table: Table) -> bool:
    return connector_of(table).is_live(table)


def note_keys(findings: Findings, counted: ast.Select, relation: Relation) -> None:
    """Notes that the operator of these counts keeps every key for ever, if neither a part of their keys grows with time
    nor a TTL ends them."""
    calls = (one.expression for one in counted.items if isinstance(one.expression, ast.Call))
    kept = next((one for one in calls if one.over is not None and not one.over.growing and not one.over.idle), None)
    if kept is not None and kept.over is not None:
        time = text_of(kept.over.order[0].expression)
        clause = f"add CAST({time} AS DATE) to its PARTITION BY, so that it forgets keys with their day"
        ttl = (
            f"SET '{STATE_TTL}' = '30 d', so that a key without a row for so long begins anew, and put WHERE n <= … "
            "on the query around it"
        )
        findings.endless[relation.inputs[0]] = Boundless("ROW_NUMBER below a window", clause, kept.at, (ttl,))
