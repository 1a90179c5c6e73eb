"""PROCTIME() above windows: the processing time of the entry that fired a window, one value for all of its rows."""

from __future__ import annotations

from airflow_nrt.model.internal_columns import ABSORBED, CLOCK, WINDOW_END, firing_clock
from airflow_nrt.sql.errors import NotThereYet, Place
from airflow_nrt.sql.expressions.functions.clock import of_clock
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import children
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.relation import Relation

_OF_ROWS = "CURRENT_WATERMARK"
"""The function of the clock that no window has a value of: its rows come from many batches."""


def asks_for_clock(nodes: list[ast.Expression]) -> bool:
    """Whether expressions call functions of the clock, and none that windows have no value of."""
    called = [call for node in nodes for call in _calls(node) if of_clock(call) is not None]
    return bool(called) and all(call.name != _OF_ROWS for call in called)


def _calls(node: ast.Expression) -> list[ast.Call]:
    own = [node] if isinstance(node, ast.Call) else []
    return [*own, *(call for child in children(node) for call in _calls(child))]


def with_firing_clock(findings: Findings, relation: Relation, at: Place) -> str:
    """The rows of windows as a FROM item, with the hidden column of the clock. Raises NotThereYet.

    (SELECT *, struct(_nrt_fired_w1(_nrt_end) AS clock, CAST(NULL AS BIGINT) AS watermark) AS _nrt_absorbed FROM
      (SELECT `k0` AS `s`, `window_start` AS `window_start`, `window_end` AS `window_end`, `a0` AS `c`, _nrt_end FROM
      `w1`))
    """
    if not findings.timing.publishes_once:
        raise NotThereYet("PROCTIME() above windows with early results or late updates", at)
    below = findings.operators_below(relation.inputs)
    operator = below[0]
    if any(CLOCK in one.clock for one in findings.operators if one.name in below):
        raise NotThereYet("PROCTIME() above windows over processing time", at)
    findings.note_clocked(operator)
    clock = f"{firing_clock(operator)}({WINDOW_END})"
    return f"(SELECT *, struct({clock} AS clock, CAST(NULL AS BIGINT) AS watermark) AS {ABSORBED} FROM {relation.text})"
