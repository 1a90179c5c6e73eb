"""Whether windows of an interval can be computed in batch: all of it is known before anything is written."""

from __future__ import annotations

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.instants import END_OF_TIME, format_instant
from airflow_nrt.describe.verdict import not_before
from airflow_nrt.engine.sources import arrived, source_of
from airflow_nrt.engine.time.future import FURTHEST_ZONE
from airflow_nrt.engine.verify.interval import Interval, complete_until, not_provable_until
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.history.arithmetic import check_arithmetic
from airflow_nrt.home.log.history.history import History
from airflow_nrt.home.log.history.history_of_log import history_of
from airflow_nrt.model.archive import partition_time as archive_time
from airflow_nrt.model.options.known import KEEP, source_option
from airflow_nrt.model.partition_time import partition_time
from airflow_nrt.model.plan import Plan, Source
from airflow_nrt.model.zones import is_skipped


def check_backfill(plan: Plan, home: Home, interval: Interval) -> list[str]:
    """Checks a backfill into a home, which may not exist yet; gives notes about missing partitions.

    Raises InputError for inserts without windows, for windows over processing time if no stream ran, for an interval
    that is empty or has windows that are not complete, and for missing partitions.
    """
    for insert in plan.inserts:
        if not insert.operators:
            raise InputError(f"{insert.name} has no windows: a backfill publishes windows")
    history = history_of(home.log(), plan) if home.report_file.exists() else History()
    check_arithmetic(plan, history.position)
    if plan.waits_for_clock and not history.is_streamed:
        raise InputError(
            "windows over processing time hold the rows that a stream absorbed meanwhile, and no stream has run here: "
            "run it first, or use a rowtime"
        )
    _check_interval(plan, history, interval)
    return [note for source in plan.sources for note in _missing_partitions(plan, source, interval)]


def _check_interval(plan: Plan, history: History, interval: Interval) -> None:
    """Raises InputError if the interval is open, has no window, or has windows that are not complete."""
    end = interval.end
    if interval.start is None or end is None:
        raise InputError("a backfill needs a start and an end")
    for operator in plan.operators:
        interval.check_windows_of(operator)
        known = not_provable_until(plan, history, operator.name)
        if interval.start < known:
            way_out = "" if known >= END_OF_TIME else "begin it there, or "
            raise InputError(
                f"the interval begins at {format_instant(interval.start)}, and the windows of {operator.window} "
                f"{not_before({operator.name: known})}, so they can't be computed again: {way_out}backfill into a new "
                f"home. A report that needs more keeps its entries longer ('{KEEP}')"
            )
        fired = complete_until(plan, history, operator.name)
        if history.is_streamed and (fired is None or end > fired):
            raise InputError(
                f"the windows of {operator.window} are complete only up to {format_instant(fired)}, the interval "
                f"reaches to {format_instant(end)}: end it there, or wait for the stream"
            )
        changelog = next((insert.name for insert in plan.fed_by(operator.name) if insert.emits_changes), None)
        final = history.position.operators[operator.name].fired if history.is_streamed else END_OF_TIME
        if changelog is not None and (final is None or end > final):
            raise InputError(
                f"the windows of {operator.window} have their last version only up to {format_instant(final)}, the "
                f"interval reaches to {format_instant(end)}: the stream still emits changes of later windows to "
                f"{changelog}. End it there, or wait for the stream"
            )
        if not history.is_streamed and end > now_ms() + FURTHEST_ZONE:
            raise InputError(f"the interval reaches to {format_instant(end)}, which is in the future")


def _missing_partitions(plan: Plan, source: Source, interval: Interval) -> list[str]:
    """Notes about partitions by event time that the interval needs and that do not exist. Raises InputError instead,
    unless the table allows that."""
    table, time = source.table, partition_time(source.table, source.zone)
    if source.archive is not None and not source.archive.written:
        table, time = source.archive.insert.sink, archive_time(source.archive)
    if (
        time is None
        or time.max_delay is not None
        or plan.is_read_by_clock(source.name)
        or interval.start is None
        or interval.end is None
    ):
        return []
    start = first_row(plan, source.name, interval.start)
    if start is None:
        return []
    if start == -END_OF_TIME:
        # Sessions can begin at any time before the interval: existing partitions there are read, none is required.
        start = interval.start
    connector = source_of(table)
    there = (connector.partition(table, split) for split in arrived(None, table))
    present = {time.time_of(values) for values in there if time.is_of_time(values)}
    missing = [
        format_instant(at)
        for at in time.expected(start, interval.end)
        if at not in present and not (is_skipped(at, source.zone) and is_skipped(at + time.length - 1, source.zone))
    ]
    if not missing:
        return []
    listed = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
    if source_option(table.options, "partition.missing") == "fail":
        raise InputError(
            f"table {table.name!r} has no partition for {listed}. If there were no rows then, set "
            "'partition.missing' = 'ignore': the windows are computed from the partitions that exist"
        )
    return [f"table {table.name!r} has no partition for {listed}: computed without"]


def first_row(plan: Plan, source: str, after: int) -> int | None:
    """The earliest rowtime of this source in any window that ends after `after`; None if no window holds its rows."""
    firsts = [plan.first_rows(operator.name, after) for operator in plan.operators]
    return min((first[source] for first in firsts if source in first), default=None)
