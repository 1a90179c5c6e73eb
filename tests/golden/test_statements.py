"""The statements of `errors/` that are accepted, run as a stream and in batch: Flink's rows, or Flink's failure.

They have one input, so one report runs all that do not stand alone (`Statement.why_alone`), once a mode: each compares
its own rows. Should that report fail, each of them runs by itself and has its own error.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.query import run_bounded
from tests.golden.run import MODES
from tests.golden.statements import BEYOND, ERRORS, STATEMENTS, Statement, declared
from tests.golden.together import run_together

CALENDAR = {
    "tumble_month.agg": ("2020-04-01", "2020-05-01"),
    "tumble_month.raw": ("2020-04-01", "2020-05-01"),
    "tumble_year.agg": ("2020-01-01", "2021-01-01"),
    "tumble_year.raw": ("2020-01-01", "2021-01-01"),
}
"""The only window of the rows, whose days are April 2020: Flink has no such windows."""
ACCEPTED = [s for s in STATEMENTS if s.is_accepted or s.id in BEYOND]
FAILING = [s for s in ACCEPTED if s.streaming.get("phase") == "runtime"]
IN_TURN = ("stream", pytest.param("batch", marks=pytest.mark.thorough))
RUNNING = [s for s in ACCEPTED if s not in FAILING and s.result is not None]
UNKNOWN = [s for s in ACCEPTED if s not in FAILING and s.result is None and s.id not in CALENDAR]
FAILURES = {
    "RowTime field should not be null": "RowTime field should not be null: a row of table NullTs has none",
    "SingleValueAggFunction received more than one element": "SINGLE_VALUE(qty) has more than one row in the window",
}
"""Flink's words at run time, and those of this product. Flink's batch drops a row without a time, this one fails."""
REFUSED_IN_BATCH = {"proctime_batch": "Processing time Window TableFunction is not supported yet"}
"""Statements that Flink's batch refuses, and this one."""
LIKE_BATCH = {"listagg.hop", "array_agg.hop", "listagg_distinct.tumble"}
"""A stream of Flink joins the newest slice of a HOP window, or distinct values in no order; its batch by arrival."""
OURS = {
    "count_distinct_two.tumble": {"08:10": 1, "08:20": 3},
    "count_distinct_two.hop": {"08:10": 1, "08:15": 3, "08:20": 3, "08:25": 1},
    "count_distinct_two.session": {"08:15": 3, "08:19": 1},
    "approx_count_distinct.session": {"08:15": 3, "08:19": 1},
    "first_value.session": {"08:15": 3, "08:19": 2},
    "over_rownum_and_sum": {"08:05": 1, "08:07": 2, "08:09": 3, "08:11": 4, "08:13": 5, "08:17": 6},
}
"""By the end of the window, or the time of the row: what Flink runs neither as a stream nor in batch."""


@dataclass
class Results:
    """The rows of statements as JSON lines. Those that can run together do so with the first that is asked for.

    `selected` are the statements of this run of pytest by mode: no others run.
    """

    spark: SparkSession
    selected: Mapping[str, Sequence[Statement]]
    together: dict[str, Mapping[str, list[str]]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    def lines(self, statement: Statement, mode: str) -> list[str]:
        """Raises what the statement raises. Where it runs alone, the output says why."""
        alone = statement.why_alone or self.why_none_together(mode)
        if not alone:
            return self.together[mode][statement.id]
        print(f"{statement.id} runs alone: {alone}")
        return list(run_bounded(self.spark, statement.plan(), mode))

    def why_none_together(self, mode: str) -> str:
        """Runs the statements of a mode together, once. Why there are no rows of that; empty if there are."""
        if mode not in self.together:
            group = {f"r{n}": one for n, one in enumerate(one for one in self.selected[mode] if not one.why_alone)}
            self.together[mode], self.failures[mode] = {}, "" if len(group) > 1 else "no other was selected"
            if len(group) > 1:
                queries = {name: one.sql for name, one in group.items()}
                try:
                    found = run_together(self.spark, declared(), queries, ERRORS, mode)
                    self.together[mode] = {group[name].id: lines for name, lines in found.items()}
                except Exception as failure:
                    self.failures[mode] = f"{len(group)} fail together, {failure}"
        return self.failures[mode]


@pytest.fixture(scope="module")
def results(spark, request: pytest.FixtureRequest) -> Results:
    tests = [item for item in request.session.items if getattr(item, "function", None) is test_the_rows_are_flinks]
    params = [item.callspec.params for item in tests]
    return Results(spark, {mode: [one["statement"] for one in params if one["mode"] == mode] for mode in MODES})


@pytest.mark.parametrize("mode", IN_TURN)
def test_statements_run_as_one_report(spark, results: Results, mode: str) -> None:
    if sum(not one.why_alone for one in results.selected[mode]) < 2:
        results = Results(spark, dict.fromkeys(MODES, RUNNING))
    assert not results.why_none_together(mode)


@pytest.mark.parametrize("mode", IN_TURN)
@pytest.mark.parametrize("statement", RUNNING, ids=lambda statement: statement.id)
def test_the_rows_are_flinks(spark, results: Results, statement: Statement, mode: str) -> None:
    if mode == "batch" and statement.id in REFUSED_IN_BATCH:
        assert statement.batch is not None and REFUSED_IN_BATCH[statement.id] in statement.batch["root_message"]
        with pytest.raises(InputError, match=REFUSED_IN_BATCH[statement.id]):
            list(run_bounded(spark, statement.plan(), mode))
        return
    updates = statement.result is not None and not set(statement.result["row_kinds"]) <= {"+I"}
    flinks = statement.batch if updates or statement.id in LIKE_BATCH else statement.result
    assert flinks is not None and set(flinks["row_kinds"]) <= {"+I"}
    names = [name for name, _ in flinks["schema"]]
    rows = [json.loads(line) for line in results.lines(statement, mode)]
    multisets = {name for name, kind in flinks["schema"] if kind.startswith("MULTISET")}
    ours = Counter(
        json.dumps([shown(row[name]) if name in multisets else row.get(name) for name in names]) for row in rows
    )
    assert ours == Counter(json.dumps(values) for _, *values in flinks["result"])


def shown(multiset: dict[str, int]) -> str:
    return "{" + ", ".join(f"{value}={times}" for value, times in multiset.items()) + "}"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("statement", FAILING, ids=lambda statement: statement.id)
def test_the_failure_is_flinks(spark, statement: Statement, mode: str) -> None:
    words = next(ours for flinks, ours in FAILURES.items() if flinks in statement.streaming["root_message"])
    with pytest.raises(Exception) as failure:
        list(run_bounded(spark, statement.plan(), mode))
    assert words in str(explained(failure.value))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("id", CALENDAR)
def test_calendar_windows(spark, id: str, mode: str) -> None:
    statement = next(one for one in ACCEPTED if one.id == id)
    rows = [json.loads(line) for line in run_bounded(spark, statement.plan(), mode)]
    assert len(rows) == (1 if id.endswith(".agg") else len((ERRORS / "input_Bid.jsonl").read_text().splitlines()))
    assert {(row["window_start"][:10], row["window_end"][:10]) for row in rows} == {CALENDAR[id]}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("statement", UNKNOWN, ids=lambda statement: statement.id)
def test_what_flink_has_no_result_for(spark, statement: Statement, mode: str) -> None:
    rows = [json.loads(line) for line in run_bounded(spark, statement.plan(), mode)]
    ours = {(row.get("window_end") or row["ts"])[11:16]: row.get("x") or row["a"] for row in rows}
    assert ours == OURS[statement.id]
    assert len(rows) == len(OURS[statement.id])
