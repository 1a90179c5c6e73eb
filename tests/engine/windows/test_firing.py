"""A round of firing: an operator absorbs the windows that fire below it, beside what it has, before it fires itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pytest

from airflow_nrt.basics.durations import HOUR
from airflow_nrt.engine.state.store import SliceStore, Written
from airflow_nrt.engine.windows import firing
from airflow_nrt.engine.windows.execution import WindowExecution
from airflow_nrt.engine.windows.firing import Round
from airflow_nrt.engine.windows.layout_of import layout_of
from airflow_nrt.engine.windows.operator_layout import Layout
from airflow_nrt.engine.windows.window_state import Firing
from airflow_nrt.home.log.entries import OperatorState, StateFile
from tests.sample import ORDERS, plan_of

CASCADE = """\
CREATE TABLE curve (window_end TIMESTAMP(3), most BIGINT)
WITH ('connector' = 'filesystem', 'path' = 'curve', 'format' = 'json');
INSERT INTO curve SELECT window_end, MAX(cnt) FROM TABLE(TUMBLE(TABLE minutes, DESCRIPTOR(time), INTERVAL '1' HOUR))
GROUP BY window_start, window_end;
"""
MINUTES = """\
CREATE VIEW minutes AS SELECT window_time AS time, COUNT(*) AS cnt
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES)) GROUP BY window_start, window_end, window_time;
"""


@dataclass
class Store:
    """Writes nothing, and says that it has written `file`."""

    file: StateFile | None
    written: list[tuple[str, object, str]] = field(default_factory=list)

    def write(self, operator: str, partials: object, placed_by: str) -> Written:
        self.written.append((operator, partials, placed_by))
        return Written(self.file, Path())


def fire(store: Store, layout: Layout, state: OperatorState, until: int) -> Firing:
    name = layout.operator.name
    after = replace(state, fired=until, rows=())
    return Firing(name, cast(Any, f"windows of {name}"), after, state.fired_until, until)


def absorb(store: Store, layout: Layout, state: OperatorState, views: Mapping[str, object]) -> object:
    return f"partials of {', '.join(map(str, views.values()))}"


FAKE = WindowExecution(cast(Any, absorb), cast(Any, fire), *cast(Any, [None] * 4))


def rows(path: str, end: int) -> StateFile:
    return StateFile(path, end, end, 1)


@pytest.mark.parametrize("file", [rows("new", HOUR), None], ids=["some count", "none counts"])
@pytest.mark.parametrize("watermark", [HOUR // 2, HOUR], ids=["waits", "fires"])
def test_windows_are_absorbed_beside_what_is_there(
    monkeypatch: pytest.MonkeyPatch, file: StateFile | None, watermark: int
) -> None:
    monkeypatch.setattr(firing, "execution_of", lambda layout: FAKE)
    plan = plan_of(ORDERS + MINUTES + CASCADE)
    below, above = plan.operators
    held = rows("held", HOUR)
    states = {
        below.name: OperatorState(watermark, rows=(rows("orders", HOUR // 6),)),
        above.name: OperatorState(watermark, rows=(held,)),
    }
    store = Store(file)
    layouts = {one.name: layout_of(one) for one in plan.operators}
    one = Round(cast(SliceStore, store), plan, layouts, states)
    one.fire()
    closes = layouts[above.name].closes
    assert store.written == [(above.name, f"partials of windows of {below.name}", closes)]
    fires = watermark == HOUR
    assert set(one.firings) == ({below.name, above.name} if fires else {below.name})
    assert one.states[above.name].rows == (() if fires else (held,) if file is None else (held, file))


def test_nothing_is_absorbed_where_nothing_fires(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(firing, "execution_of", lambda layout: FAKE)
    plan = plan_of(ORDERS + MINUTES + CASCADE)
    states = {one.name: OperatorState(HOUR) for one in plan.operators}
    store = Store(None)
    one = Round(cast(SliceStore, store), plan, {each.name: layout_of(each) for each in plan.operators}, dict(states))
    one.fire()
    assert not store.written and not one.firings and one.states == states
