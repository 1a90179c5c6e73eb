"""Rules in Java (`java_class.py`) that change how Spark runs a plan, without changing its result.

`MergedAggregates`: an aggregate is one step instead of two if there is no exchange in between. Spark plans each as two
halves, one on either side of an exchange. If the rows are already partitioned by key, as they are after the one
exchange of a firing, both halves follow each other, and each has a hash table of all groups
(docs/decisions/17-one-aggregate.md).

`MomentsByReference`: watermarks and the ends of windows are different numbers in each batch. As literals they would
change the code that Spark generates, which Spark and then Java would have to compile again. Passed by reference they
leave the code unchanged, and the batch runs the compiled code of the one before (docs/decisions/19-moments.md).

`PlainCasts`: a time in UTC, and the number of an amount, are the numbers that Spark has. It would make objects of Java
of them, and numbers of these (docs/decisions/47-plain-texts.md).

`PlainTexts`: a line is split, its times and amounts are read, and times are written, as bytes. Spark makes strings of
Java of them, and matches patterns. What is not written plainly is read by Spark (docs/decisions/47-plain-texts.md).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pyspark.sql import SparkSession

from airflow_nrt.basics.java_sources import SPEED_RULES, SpeedRule
from airflow_nrt.engine.java.fitting import unless_unfit
from airflow_nrt.engine.java.java_class import JavaClass


def switched_on(session: SparkSession) -> tuple[SpeedRule, ...]:
    """The rules whose switch nobody has turned off, in the settings that the session began with."""
    ours: Any = session
    settings = ours.sparkContext._conf
    return tuple(rule for rule in SPEED_RULES if settings.get(rule.setting, "true") != "false")


def use_plan_rules(session: SparkSession, rules: Iterable[SpeedRule]) -> None:
    """Adds the rules to a session that has not planned a query yet. A rule that does not fit its Spark is left out."""
    ours: Any = session
    extensions = ours._jsparkSession.extensions()
    for rule in rules:
        with unless_unfit(session, rule):
            made = JavaClass(session, rule.name)
            if rule.has_methods:
                made.ship()
            made.call(("use",), extensions)
