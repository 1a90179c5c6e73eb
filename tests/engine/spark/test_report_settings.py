"""What a report says about the rules for speed reaches its session."""

from __future__ import annotations

import pytest

from airflow_nrt.basics.java_sources import SPEED_RULES, SpeedRule
from airflow_nrt.engine.java.plan_rules import switched_on
from airflow_nrt.engine.spark.report_settings import session_settings
from tests.sample import REPORT, plan_of

every_rule = pytest.mark.parametrize("rule", SPEED_RULES, ids=lambda rule: rule.name)


@every_rule
@pytest.mark.parametrize("spelled", ["false", "FALSE"])
def test_a_rule_that_a_report_turns_off_is_off_in_its_session(rule: SpeedRule, spelled: str) -> None:
    settings = session_settings(plan_of(f"SET '{rule.switch}' = '{spelled}';\n" + REPORT))
    assert {name: text for name, text in settings.items() if "plan.rule" in name} == {rule.setting: "false"}


def test_a_report_that_says_nothing_leaves_them_to_the_cluster() -> None:
    assert session_settings(plan_of()) == session_settings(plan_of("SET 'plan.rule.plain-texts' = 'true';\n" + REPORT))


@every_rule
def test_a_session_has_all_rules_but_those_that_are_off(spark, rule: SpeedRule) -> None:
    settings = spark.sparkContext._conf._jconf
    assert switched_on(spark) == SPEED_RULES
    settings.set(rule.setting, "false")
    try:
        assert switched_on(spark) == tuple(one for one in SPEED_RULES if one != rule)
    finally:
        settings.remove(rule.setting)
