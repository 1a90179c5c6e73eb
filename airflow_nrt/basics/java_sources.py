"""The classes in Java of `engine/java`, which Spark's own compiler makes from their source when they are needed.

They use internals of Spark, so a release of Spark may not have what one of them needs. A session then goes on without
the class, and the status of the report says so (docs/decisions/53-switches-of-rules.md). The table of
docs/reference/java-classes.md is that of these records.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_SWITCH = re.compile(r"plan\.rule\.[a-z]+(-[a-z]+)*")


@dataclass(frozen=True)
class JavaSource:
    """`NAME.java`: what it does, what is different `without` it, and the versions of Spark that its tests ran with."""

    name: str
    does: str
    without: str
    proven: tuple[str, ...] = ("4.1.3",)


@dataclass(frozen=True)
class SpeedRule(JavaSource):
    """A rule that changes how Spark runs a plan, and no result. `switch` is the setting of a report that turns it off.

    `has_methods` that generated code calls: then the class is shipped to wherever a task runs. Raises ValueError.
    """

    switch: str = ""
    has_methods: bool = False

    def __post_init__(self) -> None:
        if _SWITCH.fullmatch(self.switch) is None:
            raise ValueError(f"{self.name} has the switch {self.switch!r}, and not one like plan.rule.one-two")

    @property
    def setting(self) -> str:
        """The switch as a setting of Spark, for sessions that are no report's, too."""
        return f"spark.airflow_nrt.{self.switch}"


_SLOWER = "batches take longer than they need"
_BY_ALL_TESTS = ("4.1.3", "4.1.4", "4.2.1")

SPEED_RULES = (
    SpeedRule(
        "MergedAggregates",
        "rows that are already partitioned by the keys are aggregated in one step instead of two",
        _SLOWER,
        _BY_ALL_TESTS,
        switch="plan.rule.merged-aggregates",
    ),
    SpeedRule(
        "MomentsByReference",
        "watermarks and ends of windows are arguments of the generated code, so that no batch compiles it again",
        _SLOWER,
        _BY_ALL_TESTS,
        switch="plan.rule.moments-by-reference",
    ),
    SpeedRule(
        "PlainCasts",
        "a time in UTC and the number of an amount are taken as they are, without objects of Java",
        _SLOWER,
        _BY_ALL_TESTS,
        switch="plan.rule.plain-casts",
    ),
    SpeedRule(
        "PlainTexts",
        "lines are split, and plain times and amounts are read and written, as bytes",
        _SLOWER,
        _BY_ALL_TESTS,
        switch="plan.rule.plain-texts",
        has_methods=True,
    ),
)
"""In the order in which they change a plan."""

BOUNDED_TEXT = JavaSource(
    "BoundedText",
    "no line beyond `source.max-line-length` is held in memory",
    "'source.max-line-length' has no effect",
)
LOCAL_FILES = JavaSource(
    "LocalFiles",
    "local files are written without starting processes, as private as their home; a source's files are below its path",
    "each file that Spark writes starts a process, and a file of a source that becomes a link while it is read is read",
    ("4.1.3", "4.2.1"),
)
KAFKA_ROWS = JavaSource("KafkaRows", "rows share the memory of the records of a topic", _SLOWER)
COPY_ROWS = JavaSource("CopyRows", "PostgreSQL takes staged rows by COPY", _SLOWER)
NULLED_VALUES = JavaSource(
    "NulledValues", "values that are NULL because they can't be computed are counted", "they are not counted"
)

JAVA_SOURCES = {
    source.name: source for source in (*SPEED_RULES, BOUNDED_TEXT, LOCAL_FILES, KAFKA_ROWS, COPY_ROWS, NULLED_VALUES)
}  # fmt: skip
