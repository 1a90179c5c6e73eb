"""`l.ts BETWEEN r.ts - INTERVAL '1' HOUR AND r.ts`: the largest distance in time between two rows that meet."""

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
class TimeDistance:
    """The time of the left row minus that of the right one (ms), from `least` to `most`. Both are included."""

    left: ScopeColumn
    right: ScopeColumn
    least: int
    most: int


def come_in_time(findings: Findings, relation: Relation) -> bool:
    """Whether its rows arrive in the order of the watermarks of its sources.

    Rows of sources do, also filtered, projected or renamed. Rows that waited for their windows arrive after the
    watermark.
    """
    of_sources = bool(relation.inputs) and findings.sources_of(relation) == relation.inputs
    return of_sources and not relation.is_changing and relation.pending is None and relation.window is None


def time_distance(parts: Iterable[ast.Expression], scope: Scope, left: frozenset[str]) -> TimeDistance | None:
    """The distance in time that these conditions allow between both sides. None unless they bound it on both ends.

    `left` are the names of the left side's columns.
    """
    bounds: dict[tuple[str, str], dict[str, int]] = {}
    columns: dict[str, ScopeColumn] = {}
    for operator, first, second in (one for part in parts for one in _comparisons(part)):
        sides = _timed(first, scope), _timed(second, scope)
        if sides[0] is None or sides[1] is None:
            continue
        (one, one_added), (other, other_added) = sides[0], sides[1]
        if (one.name in left) == (other.name in left):
            continue
        if one.name not in left:
            one, other, operator = other, one, _MIRRORED[operator]
            one_added, other_added = other_added, one_added
        columns.update({one.name: one, other.name: other})
        known = bounds.setdefault((one.name, other.name), {})
        distance = other_added - one_added
        if operator in ("<", "<=", "="):
            known["most"] = min(known.get("most", distance), distance)
        if operator in (">", ">=", "="):
            known["least"] = max(known.get("least", distance), distance)
    bounded = [(pair, known) for pair, known in bounds.items() if len(known) == 2]
    if not bounded:
        return None
    (one_name, other_name), known = bounded[0]
    return TimeDistance(columns[one_name], columns[other_name], known["least"], known["most"])


def _comparisons(part: ast.Expression) -> Iterator[tuple[str, ast.Expression, ast.Expression]]:
    match part:
        case ast.Between(operand, low, high, False):
            yield ">=", operand, low
            yield "<=", operand, high
        case ast.Binary(operator, left, right) if operator in _MIRRORED:
            yield operator, left, right


def _timed(node: ast.Expression, scope: Scope) -> tuple[ScopeColumn, int] | None:
    """A time attribute, and the length that is added to it (ms)."""
    match node:
        case ast.Name() if scope.has(node) and scope.find(node).rowtime and scope.resolve(node).type.is_timestamp:
            return scope.find(node), 0
        case ast.Binary("+" | "-" as sign, left, ast.Interval() as interval):
            below = _timed(left, scope)
            length = interval_ms(interval)
            return None if below is None else (below[0], below[1] + (length if sign == "+" else -length))
    return None
