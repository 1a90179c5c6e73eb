"""Where the time of a run went: by tier, by file, by test. Works with pytest-xdist, because reports have all of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import pytest

FILES = 20
TESTS = 10
LIMIT = 90.0
"""Seconds of one file: a run on several processors waits for its longest one."""


def by_tier_and_file(reports: Iterable[pytest.TestReport]) -> Iterable[str]:
    tiers: dict[str, float] = defaultdict(float)
    files: dict[str, float] = defaultdict(float)
    tests: dict[str, float] = defaultdict(float)
    tier_of: dict[str, str] = {}
    for report in reports:
        tier_of[report.nodeid] = tier = dict(report.user_properties).get("tier", "unit")
        tiers[tier] += report.duration
        files[report.nodeid.partition("::")[0]] += report.duration
        tests[report.nodeid] += report.duration
    counts = list(tier_of.values())
    for tier, seconds in sorted(tiers.items(), key=lambda one: -one[1]):
        yield f"{seconds:8.1f} s  {counts.count(tier):5d} tests  {tier}"
    for name, seconds in sorted(files.items(), key=lambda one: -one[1])[:FILES]:
        yield f"{seconds:8.1f} s  {name}{f'  (more than {LIMIT:.0f} s)' if seconds > LIMIT else ''}"
    for name, seconds in sorted(tests.items(), key=lambda one: -one[1])[:TESTS]:
        yield f"{seconds:8.1f} s  {name}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [
        report
        for reports in terminalreporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport)
    ]
    if reports:
        terminalreporter.section(f"by tier, {FILES} slowest files, {TESTS} slowest tests")
        for line in by_tier_and_file(reports):
            terminalreporter.write_line(line)
