"""When a source, or a part of it, counts as idle."""

from __future__ import annotations

from airflow_nrt.engine.driver.idleness import Idleness


class Clock:
    """Seconds that the test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_source_is_idle_after_its_timeout_until_something_comes() -> None:
    clock = Clock()
    idleness = Idleness(clock=clock)
    clock.now += 5
    assert not idleness.is_idle(5000)
    clock.now += 0.1
    assert idleness.is_idle(5000)
    idleness.arrived([])
    assert not idleness.is_idle(5000)


def test_parts_are_idle_each_for_itself() -> None:
    clock = Clock()
    idleness = Idleness(["known"], clock)
    clock.now += 3
    idleness.arrived(["new"])
    clock.now += 3
    assert idleness.idle_parts(5000, ()) == ["known"]
    assert not idleness.is_idle(5000)
    clock.now += 3
    assert idleness.idle_parts(5000, {"known"}) == ["new"]
    idleness.arrived(["known"])
    assert idleness.idle_parts(5000, ()) == ["new"]
