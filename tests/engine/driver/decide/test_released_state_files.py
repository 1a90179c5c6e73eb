"""State files stay for two commits after the last position that refers to them."""

from __future__ import annotations

from airflow_nrt.engine.driver.decide.released_state_files import Released


def test_a_file_goes_two_commits_after_its_last_reference() -> None:
    released = Released()
    written: set[str] = set()
    gone: list[set[str]] = []
    for referred in [{"a"}, {"a", "b"}, {"b"}, {"b"}, {"b"}, set(), set(), set()]:
        written |= referred
        gone.append({file for files in released.after(frozenset(referred), written) for file in files})
        written -= gone[-1]
    assert gone == [set(), set(), set(), set(), {"a"}, set(), set(), {"b"}]


def test_what_was_written_and_is_never_referred_to_goes() -> None:
    released = Released()
    gone = [*released.after(frozenset(), {"orphan"}), *released.after(frozenset(), {"orphan"})]
    assert gone == [] and released.waiting == {"orphan"}
    assert released.after(frozenset(), {"orphan"}) == [{"orphan"}]
