"""`l.ts BETWEEN r.ts - INTERVAL '1' HOUR AND r.ts`: how far the times of two rows that meet may lie apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from airflow_nrt.sql.expressions.intervals import interval_ms
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.relation import Relation

_MIRRORED = {"<": ">", "<=": ">=", "=": "=", ">": "<", ">=": "<="}


@dataclass(frozen=True)
class Apart:
    """The time of the left row less that of the right one, in milliseconds; both ends belong to it."""

    left: ScopeColumn
    right: ScopeColumn
    least: int
    most: int


def come_in_time(found: Findings, relation: Relation) -> bool:
    """Whether the watermarks of its sources say which of its time attributes are still to come.

    Filters, projections and other names change nothing about that. What waits for windows comes behind the watermark.
    """
    of_sources = bool(relation.inputs) and found.sources_of(relation) == relation.inputs
    return of_sources and not relation.is_changing and relation.pending is None and relation.window is None


def apart(parts: Iterable[ast.Expression], scope: Scope, left: frozenset[str]) -> Apart | None:
    """What conditions that all hold say of the time attributes of both sides; None unless they bound both ends.

    `left` are the names of the left side's columns.
    """
    bounds: dict[tuple[str, str], dict[str, int]] = {}
    columns: dict[str, ScopeColumn] = {}
    for operator, first, second in (one for part in parts for one in _comparisons(part)):
        sides = _timed(first, scope), _timed(second, scope)
        if sides[0] is None or sides[1] is None:
            continue
        (one, before), (other, behind) = sides[0], sides[1]
        if (one.name in left) == (other.name in left):
            continue
        if one.name not in left:
            one, other, before, behind, operator = other, one, behind, before, _MIRRORED[operator]
        columns.update({one.name: one, other.name: other})
        known = bounds.setdefault((one.name, other.name), {})
        if operator in ("<", "<=", "="):
            known["most"] = min(known.get("most", behind - before), behind - before)
        if operator in (">", ">=", "="):
            known["least"] = max(known.get("least", behind - before), behind - before)
    found = [(pair, known) for pair, known in bounds.items() if len(known) == 2]
    if not found:
        return None
    (one_name, other_name), known = found[0]
    return Apart(columns[one_name], columns[other_name], known["least"], known["most"])


def _comparisons(part: ast.Expression) -> Iterator[tuple[str, ast.Expression, ast.Expression]]:
    match part:
        case ast.Between(operand, low, high, False):
            yield ">=", operand, low
            yield "<=", operand, high
        case ast.Binary(operator, left, right) if operator in _MIRRORED:
            yield operator, left, right


def _timed(node: ast.Expression, scope: Scope) -> tuple[ScopeColumn, int] | None:
    """A time attribute and what is added to it (ms)."""
    match node:
        case ast.Name() if scope.has(node) and scope.find(node).rowtime and scope.resolve(node).type.is_timestamp:
            return scope.find(node), 0
        case ast.Binary("+" | "-" as sign, left, ast.Interval() as interval):
            below = _timed(left, scope)
            length = interval_ms(interval)
            return None if below is None else (below[0], below[1] + (length if sign == "+" else -length))
    return None
