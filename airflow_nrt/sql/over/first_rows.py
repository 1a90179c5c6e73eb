"""The first rows of a key below a window: `WHERE n = 1` of ROW_NUMBER by rowtime, Flink's deduplication by event time.

Elsewhere such a ranking changes as rows arrive. A window needs rows that stay, with their time. So a row gets its
number when the watermark passes it, as in any OVER by time, and what comes earlier after that is late.
"""

from __future__ import annotations

from dataclasses import replace

from airflow_nrt.sql.over.periods import grows
from airflow_nrt.sql.over.row_windows import is_row_number, numbers_rows_in_order
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import text_of
from airflow_nrt.sql.parse.walk import rewritten
from airflow_nrt.sql.relations.column_demand import Demand
from airflow_nrt.sql.relations.findings import Boundless, Findings
from airflow_nrt.sql.relations.relation import Relation


def counted_in_time(node: ast.Select, relation: Relation, alias: str | None, demand: Demand) -> ast.Select:
    """The SELECT with counts of the rows so far in place of its row numbers, if a window above reads their time."""
    if not demand.in_windows or not numbers_rows_in_order(node, relation, alias):
        return node

    def counted(part: object) -> ast.Call | None:
        if not isinstance(part, ast.Call) or not is_row_number(part):
            return None
        assert part.over is not None
        time = part.over.order[0].expression
        growing = [key for key in part.over.partition if grows(key, time)][-1:]
        others = tuple(key for key in part.over.partition if key not in growing)
        now = ast.Bound(ast.Literal("number", "0", part.at), True)
        frame = ast.Frame("ROWS", ast.Bound(None, False), now, "", part.at)
        over = replace(part.over, partition=(*others, *growing), frame=frame, growing=bool(growing))
        return replace(part, name="COUNT", arguments=(ast.Star(None, part.at),), over=over)

    return replace(node, items=tuple(replace(one, expression=rewritten(one.expression, counted)) for one in node.items))


def note_keys(findings: Findings, counted: ast.Select, relation: Relation) -> None:
    """Notes that the operator of these counts keeps every key for ever, if no part of their keys grows with time."""
    calls = (one.expression for one in counted.items if isinstance(one.expression, ast.Call))
    kept = next((call for call in calls if call.over is not None and not call.over.growing), None)
    if kept is not None and kept.over is not None:
        time = text_of(kept.over.order[0].expression)
        clause = f"add CAST({time} AS DATE) to its PARTITION BY, so that it forgets keys with their day"
        findings.endless[relation.inputs[0]] = Boundless("ROW_NUMBER below a window", clause, kept.at)
