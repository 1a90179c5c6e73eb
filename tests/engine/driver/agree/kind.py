"""A small report with one kind of operator, and what its SQL means in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from airflow_nrt.model.plan import Plan
from airflow_nrt.model.result_timing import AT_ONCE, OutputOptions
from airflow_nrt.sql.load import plan_script
from airflow_nrt.testing.memory import Meaning, Row
from airflow_nrt.testing.memory.meaning import Views
from tests.engine.timed import EVENTS

COUNTS = "shop INT, n BIGINT, users BIGINT"
ENDS = "shop INT, ends TIMESTAMP(3), n BIGINT, users BIGINT"
SESSIONS = "shop INT, starts TIMESTAMP(3), ends TIMESTAMP(3), n BIGINT, users BIGINT"

SHOPS = (1, 1, 2, 2, 3, None)


@dataclass(frozen=True)
class Kind:
    """A query into the sink `result`, where these columns may be the `key`. It reads `events`, `others`, and `more`
    tables and views. With `changes` the sink takes changes."""

    query: str
    columns: str = COUNTS
    means: Meaning = field(default_factory=Meaning)
    changes: bool = False
    more: str = ""
    events: str = EVENTS
    timing: OutputOptions = AT_ONCE
    key: str = ""

    def plan(self, place: Path) -> Plan:
        form = "debezium-json" if self.changes else "json"
        options = f"'connector' = 'filesystem', 'path' = '${{DATA}}/result', 'format' = '{form}'"
        key = f", PRIMARY KEY ({self.key}) NOT ENFORCED" if self.key else ""
        sink = f"CREATE TABLE result ({self.columns}{key}) WITH ({options});"
        insert = f"INSERT INTO result {self.timing.hint()} {self.query};"
        script = "\n".join([self.events, EVENTS.replace("events", "others"), self.more, sink, insert])
        return plan_script(script, {"DATA": str(place)}, "report", place)

    @cached_property
    def in_memory(self) -> Plan:
        """The plan where nothing is read or written. To plan takes as long as a history."""
        return self.plan(Path("/data"))

    @property
    def shops(self) -> tuple[int | None, ...]:
        """Of the rows that arrive. A key of the sink is NOT NULL."""
        return tuple(one for one in SHOPS if one is not None or "shop" not in self.key)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the sink."""
        return tuple(column.split()[0] for column in self.columns.split(", "))

    @property
    def times(self) -> frozenset[str]:
        """Those that are TIMESTAMP."""
        return frozenset(column.split()[0] for column in self.columns.split(", ") if "TIMESTAMP" in column)


def pick(source: str, row: Callable[[Row], Row]) -> Callable[[Views], list[Row]]:
    """The query that makes these of the rows of its only input."""
    return lambda views: [row(one) for one in views[source]]
