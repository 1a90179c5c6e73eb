"""What is noted of places changes nothing of a plan: where its lines stand is no part of what a report means."""

from __future__ import annotations

from dataclasses import replace

from tests.sample import REPORT, plan_of


def test_a_report_that_moved_is_the_same() -> None:
    plan, moved = plan_of(REPORT), plan_of(f"\n\n-- on top\n{REPORT}")
    assert plan.origins and plan.origins != moved.origins
    assert replace(moved, script=plan.script) == plan


def test_two_inserts_share_an_operator_and_have_places_of_their_own() -> None:
    insert = REPORT[REPORT.index("INSERT") :]
    other = insert.replace("SUM(price)", "SUM(CAST(price AS DECIMAL(10, 2)))")
    plan = plan_of(REPORT + insert.replace("curve\n", "curve /*+ OPTIONS('path' = 'other') */\n") + other)
    places = [one.place for one in plan.origins if one.text == "SUM(price)"]
    assert len(set(places)) == 2
    assert len(plan.operators) < 3


def test_long_pieces_are_not_kept() -> None:
    plan = plan_of(REPORT.replace("SUM(price)", f"SUM({' + '.join(['price'] * 300)})"))
    assert max(len(one.sql) for one in plan.origins) <= 2000
