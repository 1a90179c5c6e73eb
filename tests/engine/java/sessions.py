"""Sessions of one Spark that have other rules, and what Spark allocates."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.java_sources import SpeedRule
from airflow_nrt.engine.java.objects import java_class
from airflow_nrt.engine.java.plan_rules import use_plan_rules

COMPILED = {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"}


def with_rules(spark: Any, rules: Iterable[SpeedRule]) -> SparkSession:
    """A session of the same Spark with these rules alone, which compiles its plans."""
    jvm = spark._jvm
    option, empty = java_class(jvm, "scala.Option"), java_class(jvm, "scala.collection.immutable.HashMap")()
    made = java_class(jvm, "org.apache.spark.sql.classic.SparkSession")(
        spark.sparkContext._jsc.sc(),
        option.apply(spark._jsparkSession.sharedState()),
        option.empty(),
        java_class(jvm, "org.apache.spark.sql.SparkSessionExtensions")(),
        empty,
        empty,
    )
    session = SparkSession(spark.sparkContext, made)
    use_plan_rules(session, rules)
    for name, value in COMPILED.items():
        session.conf.set(name, value)
    return session


class Allocated:
    """What the JVM of a session allocates, in bytes."""

    def __init__(self, spark: Any) -> None:
        compiler = java_class(spark._jvm, "org.codehaus.janino.SimpleCompiler")()
        compiler.cook(Path(__file__).with_name("Allocated.java").read_text(encoding="utf-8"))
        gateway = spark.sparkContext._gateway
        made = compiler.getClassLoader().loadClass("Allocated")
        self._asked = made.getMethod("byThreads", gateway.new_array(gateway.jvm.Class, 0))
        self._nothing = gateway.new_array(gateway.jvm.Object, 0)

    def by(self, frame: DataFrame) -> int:
        """By a run of this frame, once it has run before: classes are loaded, and code is compiled."""
        frame.collect()
        before = self._bytes()
        frame.collect()
        return self._bytes() - before

    def _bytes(self) -> int:
        return int(self._asked.invoke(None, self._nothing))
