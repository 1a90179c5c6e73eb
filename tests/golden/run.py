"""Runs golden cases: queries with the results that real Flink gave, through the code of `airflow-nrt query`.

    python tests/golden/run.py DIR [--mode stream|batch|both] [-k PATTERN]

A case is a directory `<family>/<name>/` anywhere below DIR with `ddl.sql`, `query.sql`, `expected.jsonl` and
`case.json`. The last line is `N passed, N failed`; each mode counts. The exit status is 0 only if none failed. Where
this product means to differ from Flink, `divergences.json` next to this file says how and why.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from airflow_nrt.basics.instants import parse_instant
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.functions.report_session import report_session
from airflow_nrt.engine.java.finding import ensure_java
from airflow_nrt.engine.query import folded, run_bounded, run_changelog, stream_to_end, streamed_lines
from airflow_nrt.engine.spark.session import start_session
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.ddl.ddl import with_options
from airflow_nrt.sql.filling.placeholders import fill_placeholders
from airflow_nrt.sql.planner import plan_query

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.golden.cutting import Fired, Judge, Passed, Row, Sessions, Slices, cut

MODES = ("stream", "batch")
CHANGELOG_BATCH = 60
THOROUGH = os.environ.get("LEDGERS") == "each"
"""Whether each ledger of a late case is taken away once, which takes minutes, or one of them."""
DIVERGENCES: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("divergences.json").read_text("utf-8"))


@dataclass(frozen=True)
class Case:
    """One case. `name` is `<family>/<name>`, the last two parts of its path."""

    directory: Path

    @property
    def name(self) -> str:
        return f"{self.directory.parent.name}/{self.directory.name}"

    @property
    def ddl(self) -> str:
        zone = self.facts.get("time_zone", "UTC")
        script = fill_placeholders(self.text("ddl.sql"), {"CASE_DIR": str(self.directory)})
        return script if zone == "UTC" else f"SET 'table.local-time-zone' = '{zone}'; {script}"

    @cached_property
    def facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = json.loads(self.text("case.json"))
        return facts

    def text(self, file: str) -> str:
        return (self.directory / file).read_text(encoding="utf-8")


@dataclass(frozen=True)
class Outcome:
    """`detail` says what is wrong, or for an asserted divergence why it is right."""

    passed: bool
    verdict: str
    detail: str = ""


def cases_below(directory: Path, pattern: str = "") -> list[Case]:
    """All cases below a directory whose name contains the pattern."""
    found = (Case(file.parent) for file in directory.resolve().rglob("case.json"))
    return sorted((case for case in found if pattern in case.name), key=lambda case: (case.name, case.directory))


def run_case(spark: Any, case: Case, mode: str) -> Outcome:
    """Runs a case in one mode and compares. Any error is an outcome."""
    divergence = DIVERGENCES.get(case.name)
    try:
        run = run_late if case.facts.get("family") == "late" else run_once
        run = run_changelog_case if (case.directory / "changelog.jsonl").exists() else run
        difference = run(spark, case, mode)
    except Exception as failure:
        known = explained(failure)
        difference = str(known) if known is not None else f"{type(failure).__name__}: {failure}"
    if divergence is None:
        return Outcome(not difference, "FAILED" if difference else "passed", difference[:2000])
    if re.search(divergence["ours"], difference, re.DOTALL):
        return Outcome(True, "diverges as asserted", divergence["why"])
    return Outcome(False, "FAILED", f"is to differ like {divergence['ours']!r}, and says {difference[:2000]!r}")


def run_once(spark: Any, case: Case, mode: str) -> str:
    """What differs from Flink's result."""
    return compare(list(run_bounded(spark, _plan(case), mode)), case)


def _plan(case: Case) -> Plan:
    return plan_query(case.ddl, case.text("query.sql"), case.directory)


# ---------------------------------------------------------------------------------------------------- changelogs


def run_changelog_case(spark: Any, case: Case, mode: str) -> str:
    """A case with a changelog, cut into batches anyhow: each change applies, and folded it is Flink's, folded.

    Flink tells each step, this product the net of a batch. Of a stream both forms are looked at.
    """
    with tempfile.TemporaryDirectory() as directory:
        plan = _in_batches(case, Path(directory), partial(_anyhow, random.Random(case.name)))
        changes = list(run_changelog(spark, plan, mode))
        wrong = _misfit(changes) or compare(list(folded(changes)), case) or _unlike_flinks(changes, case)
        key = plan.inserts[0].key
        if wrong or mode == "batch" or not key:
            return wrong
        return compare(_upserted(list(run_changelog(spark, _keyed(plan, key), mode)), key), case)


def _anyhow(chance: random.Random, rows: Sequence[Row]) -> Iterator[list[int]]:
    first = 0
    while first < len(rows):
        last = min(first + chance.randint(1, CHANGELOG_BATCH), len(rows))
        yield list(range(first, last))
        first = last


def _keyed(plan: Plan, key: tuple[str, ...]) -> Plan:
    """The plan with a sink that takes changes in update form."""
    (insert,) = plan.inserts
    return replace(plan, inserts=(replace(insert, sink=replace(insert.sink, primary_key=key)),))


def _upserted(changes: Sequence[str], key: tuple[str, ...]) -> list[str]:
    """The table that keys and their rows leave."""
    table: dict[str, str] = {}
    for line in changes:
        change = json.loads(line)
        place = json.dumps([change["row"][name] for name in key])
        if change["op"] == "-D":
            del table[place]
        else:
            assert (place in table) is (change["op"] == "+U"), line
            table[place] = json.dumps(change["row"])
    return list(table.values())


def _misfit(changes: Sequence[str]) -> str:
    """The first change that takes back a row which is not there."""
    table: Counter[str] = Counter()
    for line in changes:
        change = json.loads(line)
        row = json.dumps(change["row"])
        table[row] += 1 if change["op"].startswith("+") else -1
        if table[row] < 0:
            return f"{change['op']} of a row that is not there: {row}"
    return ""


def _unlike_flinks(changes: Sequence[str], case: Case) -> str:
    """What the tables differ in, once both changelogs are folded."""
    ours, flinks = (Counter(folded(lines)) for lines in (changes, case.text("changelog.jsonl").splitlines()))
    return "" if ours == flinks else f"folded changelogs differ: {(ours - flinks) + (flinks - ours)}"


# ---------------------------------------------------------------------------------------------------- late rows


def run_late(spark: Any, case: Case, mode: str) -> str:
    """A case with late rows, in batches that judge lateness as Flink does after every row.

    Its batch check is the verifier, beside: it must prove the stream equal, and find a ledger that was tampered with.
    """
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        (table,) = case.facts["tables"]
        judged = partial(cut, delay=table["watermark_delay_ms"], judge=_judge(_plan(case)))
        plan = _in_batches(case, place, judged)
        plan, home = stream_to_end(report_session(spark, plan), plan, place)
        difference = compare(list(streamed_lines(spark, plan, place)), case)
        if difference or mode == "stream":
            return difference
        verdict = verify(spark, plan, home, Interval())
        if not verdict.is_proven:
            return f"not proven: {verdict}"
        ledgers = sorted(home.path.glob("ledger/*/late-*"))
        if bool(verdict.late_rows) != bool(ledgers):
            return f"{verdict.late_rows} late rows, {len(ledgers)} ledgers"
        # All that stay explain nothing of what the one said.
        for ledger in ledgers if THOROUGH else ledgers[len(ledgers) // 2 :][:1]:
            aside = ledger.rename(place / "aside")
            if verify(spark, plan, home, Interval()).is_proven:
                return f"{ledger.name} of {ledger.parent.name} is gone, and nobody missed it"
            aside.rename(ledger)
        return ""


def _in_batches(case: Case, place: Path, parts: Callable[[Sequence[Row]], Iterator[list[int]]]) -> Plan:
    """The plan over a copy of the input that is cut into batches."""
    query = case.text("query.sql")
    (table,) = case.facts["tables"]
    folder = place / table["file"]
    folder.mkdir()
    lines = case.text(table["file"]).splitlines(keepends=True)
    key = re.search(r"PARTITION BY (\w+)[ ,]", query)
    parsed = [json.loads(line) for line in lines]
    rows = [(parse_instant(row[table["rowtime"]]), str(row.get(key.group(1)) if key else "")) for row in parsed]
    for n, batch in enumerate(parts(rows)):
        file = folder / f"{n:04d}.jsonl"
        file.write_text("".join(lines[row] for row in batch), encoding="utf-8")
        os.utime(file, (n, n))
    plan = plan_query(fill_placeholders(case.text("ddl.sql"), {"CASE_DIR": str(place)}), query, place)
    small = {"source.max-batch-size": "1 b"}
    return replace(plan, sources=tuple(replace(s, table=with_options(s.table, small)) for s in plan.sources))


def _judge(plan: Plan) -> Judge | None:
    if not plan.operators:
        return None
    first = plan.operators[0]
    if first.window.kind == "OVER":
        if any(frame.low is None for frame in first.frames):
            return Passed()
        return Fired(max(frame.low or 0 for frame in first.frames) if first.forgets else None)
    return Sessions(first.window.size) if first.window.kind == "SESSION" else Slices(first.window)


# ---------------------------------------------------------------------------------------------------- comparison


def compare(lines: Sequence[str], case: Case) -> str:
    """What differs between these JSON lines and the expected ones, in any order; nothing if they are equal."""
    names = [name for name, _ in case.facts["result_schema"]]
    actual = [json.loads(line) for line in lines]
    foreign = {name for row in actual for name in row} ^ set(names) if actual else set()
    if foreign:
        return f"the columns differ: {sorted(foreign)}"
    expected = [json.loads(line) for line in case.text("expected.jsonl").splitlines()]
    tolerances = case.facts.get("approx_columns") or {}
    exact = [name for name in names if name not in tolerances]
    unmatched = _exact_difference(actual, expected, exact)
    return unmatched or _approximate_difference(actual, expected, exact, tolerances)


def _key(row: dict[str, Any], names: Sequence[str]) -> str:
    return json.dumps({name: row.get(name) for name in names}, ensure_ascii=False)


def _exact_difference(actual: list[dict[str, Any]], expected: list[dict[str, Any]], exact: Sequence[str]) -> str:
    ours, flinks = (Counter(_key(row, exact) for row in rows) for rows in (actual, expected))
    if ours == flinks:
        return ""
    lines = [f"expected {len(expected)} rows, got {len(actual)}"]
    for label, rows in (("missing", flinks - ours), ("unexpected", ours - flinks)):
        lines += [f"{label} {row}" for row in sorted(rows.elements())[:5]]
    return "\n".join(lines)


def _approximate_difference(
    actual: list[dict[str, Any]], expected: list[dict[str, Any]], exact: Sequence[str], tolerances: dict[str, Any]
) -> str:
    """Rows are matched on the exact columns, then in the order of the approximate ones."""

    def order(row: dict[str, Any]) -> tuple[str, list[tuple[bool, float]]]:
        return _key(row, exact), [(row[name] is None, float(row[name] or 0)) for name in tolerances]

    for ours, flinks in zip(sorted(actual, key=order), sorted(expected, key=order)):
        for name, tolerance in tolerances.items():
            if not _is_near(ours[name], flinks[name], tolerance):
                return f"{name}: expected {flinks[name]}, got {ours[name]} in {_key(ours, exact)}"
    return ""


def _is_near(ours: Any, flinks: Any, tolerance: dict[str, float]) -> bool:
    if ours is None or flinks is None:
        return ours is flinks
    return abs(float(ours) - float(flinks)) <= tolerance["abs"] + tolerance["rel"] * abs(float(flinks))


# ---------------------------------------------------------------------------------------------------- command


def main(arguments: Sequence[str] | None = None) -> int:
    return command(__doc__ or "", arguments, cases_below, run_case)


def command(
    description: str,
    arguments: Sequence[str] | None,
    cases_of: Callable[[Path, str], Sequence[Any]],
    run: Callable[[Any, Any, str], Outcome],
    modes_of: Callable[[Any], Sequence[str]] = lambda case: MODES,
) -> int:
    """A runner of cases: `cases_of` finds them, `modes_of` are the modes that one has. Gives the exit status."""
    options = options_of(description, arguments)
    cases = cases_of(options.directory, options.k)
    if not cases:
        print(f"there is no case below {options.directory} whose name contains {options.k!r}", file=sys.stderr)
        return 2
    asked = MODES if options.mode == "both" else (options.mode,)
    pairs = [(case, mode) for case in cases for mode in asked if mode in modes_of(case)]
    ensure_java()
    spark = start_session("cases", "local[2]", {"spark.sql.shuffle.partitions": "2"})
    spark.sparkContext.setLogLevel("OFF")
    try:
        runs = (told(f"{case.name} {mode}", partial(run, spark, case, mode)) for case, mode in pairs)
        outcomes = Counter(outcome.passed for outcome in runs)
    finally:
        spark.stop()
    print(f"{outcomes[True]} passed, {outcomes[False]} failed")
    return 0 if not outcomes[False] else 1


def told(name: str, run: Callable[[], Outcome]) -> Outcome:
    """Runs a case and prints how it went."""
    started = time.monotonic()
    outcome = run()
    print(f"{name}: {outcome.verdict} ({time.monotonic() - started:.1f} s)", flush=True)
    for line in outcome.detail.splitlines():
        print(f"    {line}")
    return outcome


def options_of(description: str, arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line of a runner of golden cases."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, metavar="DIR", help="a directory tree of cases")
    parser.add_argument("--mode", choices=(*MODES, "both"), default="both", help="default: both, and each counts")
    parser.add_argument("-k", default="", metavar="PATTERN", help="only cases with this in their name")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
