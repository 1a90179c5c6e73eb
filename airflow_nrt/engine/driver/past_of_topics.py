"""Where a changed report begins to read topics: where the report began in whose place it comes, or with its archive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from airflow_nrt.home.home import Home
from airflow_nrt.home.log.fold.checkpoints import read_by
from airflow_nrt.home.log.splits import SourceRange
from airflow_nrt.model.connectors.kafka_options import ARCHIVED, HISTORY, HISTORY_UNTIL, STARTUP, STARTUP_HOME
from airflow_nrt.model.plan import Plan, Source


def beginning_with_archives(home: Home, made_for: Plan, plan: Plan) -> Plan:
    """The plan that begins with the archives of a home, whose report is `made_for` another plan."""
    archived = _archived(made_for)
    begins = {STARTUP: ARCHIVED, STARTUP_HOME: str(home.path)}

    def beginning(source: Source) -> Source:
        if source.name not in archived:
            return source
        others = {name: text for name, text in source.table.options.items() if name not in (HISTORY, HISTORY_UNTIL)}
        return replace(source, table=replace(source.table, options={**others, **begins}, history=None))

    return replace(plan, sources=tuple(map(beginning, plan.sources)))


def beginnings_of(home: Home, made_for: Plan) -> Mapping[str, Sequence[SourceRange]]:
    """By source, the empty ranges at which a home began to read, unless it has an archive of what it has read."""
    archived = _archived(made_for)
    found: dict[str, dict[str, SourceRange]] = {}
    for name, read in read_by(home.log()).sources.items():
        for one in read.ranges if name not in archived else ():
            found.setdefault(name, {}).setdefault(one.part, SourceRange(one.part, one.start, one.start, 0))
    return {name: [*parts.values()] for name, parts in found.items()}


def _archived(plan: Plan) -> set[str]:
    return {source.name for source in plan.sources if source.is_archived}
