"""149 statements that test Flink's limits, with what Flink 2.3 says to each: `errors/flink-errors.json`.

`errors/beyond.json` lists those that Flink refuses, at least as a stream, and that run here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.filling.placeholders import fill_placeholders
from airflow_nrt.sql.load import plan_script
from airflow_nrt.sql.planner import plan_query

ERRORS = Path(__file__).with_name("errors")
BEYOND: frozenset[str] = frozenset(json.loads((ERRORS / "beyond.json").read_text()))
ALONE = {
    "proctime_batch": "no batch has its rows",
    **dict.fromkeys(
        """
        named_arguments.agg hop_slide_gt_size.raw tumble_offset_negative.agg session_batch.agg count_distinct.cumulate
        collect.hop cte_as_table_argument topn_rank over_distinct join_start_only
        """.split(),
        "one of each kind runs as the only insert of its plan",
    ),
}
"""Statements that could run with others and don't, and why."""


def declared() -> str:
    """The tables that all statements read."""
    return fill_placeholders((ERRORS / "ddl.sql").read_text(), {"CASE_DIR": str(ERRORS)})


@dataclass(frozen=True)
class Statement:
    """`streaming` and `batch` are Flink's answers; `batch` is None where it was not asked."""

    id: str
    group: str
    sql: str
    streaming: dict[str, Any]
    batch: dict[str, Any] | None = None
    config: dict[str, str] = field(default_factory=dict)
    note: str = ""

    @property
    def is_accepted(self) -> bool:
        """Whether a stream of Flink runs it. What the data decides at run time is accepted at first."""
        return bool(self.streaming["ok"]) or self.streaming["phase"] == "runtime"

    @property
    def result(self) -> dict[str, Any] | None:
        """Flink's result: of a stream, or in batch where a stream can't; None if it has none."""
        answers = [answer for answer in (self.streaming, self.batch) if answer is not None and answer["ok"]]
        return answers[0] if answers else None

    @cached_property
    def why_alone(self) -> str:
        """Why it can't be one of many inserts of a report, beside those that fail; empty if it can."""
        if self.config:
            return f"it sets {', '.join(self.config)}"
        if self.id in ALONE:
            return ALONE[self.id]
        plan = self.plan()
        if any(insert.changes for insert in plan.inserts):
            return "its changelog is folded"
        if any(insert.order for insert in plan.inserts):
            return "its rows are sorted at the end"
        return "" if len(plan.inserts) == 1 else "it has several inserts"

    def plan(self) -> Plan:
        """Raises SqlError, as `check` does."""
        ddl = declared()
        settings = "".join(f"SET '{key}' = '{value}';\n" for key, value in self.config.items())
        if self.sql.startswith("CREATE"):
            return plan_script(f"{ddl}{settings}{self.sql}", {}, self.id, ERRORS)
        return plan_query(ddl + settings, self.sql, ERRORS)


STATEMENTS = [
    Statement(**entry) for entry in json.loads((ERRORS / "flink-errors.json").read_text(encoding="utf-8"))["tests"]
]
