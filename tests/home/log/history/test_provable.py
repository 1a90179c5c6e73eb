"""Which windows have none of the rows that were read so far, by the state alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.instants import BEFORE_TIME, END_OF_TIME
from airflow_nrt.home.log.entries import OperatorState, Position, StateFile
from airflow_nrt.home.log.history.provable import holds_rows_until, provable_after, provable_from
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script

MINUTE, HOUR = 60_000, 3_600_000
AT = 1_718_704_800_000
"""2024-06-18 10:00:00."""


def a_plan(place: Path, windows: str) -> Plan:
    return plan_script(
        "CREATE TABLE e (k INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) "
        f"WITH ('connector' = 'filesystem', 'path' = '{place}/e', 'format' = 'csv');"
        "CREATE TABLE r (k INT, e TIMESTAMP(3), n BIGINT) "
        f"WITH ('connector' = 'filesystem', 'path' = '{place}/r', 'format' = 'csv');"
        f"INSERT INTO r SELECT k, window_end, COUNT(*) FROM TABLE({windows}) GROUP BY k, window_start, window_end;",
        {},
        "report",
        place,
    )


WINDOWS = {
    "tumble": "TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '20' MINUTES)",
    "hop": "HOP(TABLE e, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '40' MINUTES)",
    "cumulate": "CUMULATE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '1' HOUR)",
}


def state(**more: object) -> OperatorState:
    return OperatorState(**more)  # type: ignore[arg-type]


@pytest.mark.parametrize("of", [
    (state(), BEFORE_TIME),
    (state(watermark=AT), AT + 1),
    (state(watermark=AT, fired=AT + MINUTE), AT + MINUTE),
    (state(fired=AT, rows=(StateFile("a", AT, AT + HOUR, 1),)), AT + HOUR),
    (state(fired=AT, closed=(StateFile("a", AT - HOUR, AT, 1), StateFile("b", AT, AT + 2, 1))), AT + 2),
])  # fmt: skip
def test_rows_are_in_state_until_their_last_window_has_fired(of: tuple[OperatorState, int]) -> None:
    known, until = of
    assert holds_rows_until(known) == until
    assert provable_from(Position(operators={"w1": known, "w2": state()})) == until


def test_without_windows_nothing_is() -> None:
    assert provable_from(Position()) is None


@pytest.mark.parametrize("name", WINDOWS)
def test_later_windows_hold_no_earlier_row(tmp_path: Path, name: str) -> None:
    """The first of them is the first one that begins late enough."""
    plan = a_plan(tmp_path, WINDOWS[name])
    (operator,) = plan.operators
    ends = list(operator.window.ends_between(AT - 3 * HOUR, AT + 5 * HOUR))
    for minute in range(0, 125, 5):
        until = AT + minute * MINUTE + minute % 3
        after = provable_after(plan, Position(operators={operator.name: state(fired=until)}), operator.name)
        late_enough = [end for end in ends if operator.window.start(end) >= until]
        assert [end for end in ends if end > after] == late_enough


def test_of_sessions_nothing_is_sure(tmp_path: Path) -> None:
    plan = a_plan(tmp_path, "SESSION(TABLE e PARTITION BY k, DESCRIPTOR(ts), INTERVAL '9' MINUTES)")
    (operator,) = plan.operators
    known = Position(operators={operator.name: state(fired=AT)})
    assert provable_after(plan, known, operator.name) == END_OF_TIME
    assert provable_after(plan, Position(), operator.name) == BEFORE_TIME
