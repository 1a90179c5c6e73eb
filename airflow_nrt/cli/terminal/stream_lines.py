"""A stream in words, for a person: how it begins, each entry of its log, and a summary."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from airflow_nrt.basics.durations import DAY, format_duration
from airflow_nrt.basics.instants import END_OF_TIME, format_instant, format_reached
from airflow_nrt.basics.texts import counted
from airflow_nrt.home.heartbeat import Heartbeat, now_ms
from airflow_nrt.home.log.entries import Commit, Entry, Fill, Lease, Left, Position, Published, Restate
from airflow_nrt.home.log.history.rejections import null_fields, rejected_rows
from airflow_nrt.home.outline import Outline
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.options.known import LIVE, source_option
from airflow_nrt.model.plan import Plan, Source
from airflow_nrt.model.result_timing import COMPLETE
from airflow_nrt.model.tables import Table
from airflow_nrt.model.zones import wall_clock


def start_lines(plan: Plan, home: str, master: str) -> list[str]:
    """What will run: the report, its home and master, one line for each source and result."""
    inserts = Outline.of(plan).inserts
    into = {one.name: f"to {connector_of(one.sink).place(one.sink)}" for one in plan.inserts}
    into |= {one.name: f"into {one.directory}" for one in inserts if one.directory is not None}
    windows = {one.name: f", {one.window.text}" if one.window is not None else "" for one in inserts}
    return [
        f"{plan.name}: home {home}, on {master}",
        *(f"  reads  {source.name}: {_read(source)}" for source in plan.sources),
        *(f"  looks up {one.name}: {one.table.format or 'rows'} in {_place(one.table)}" for one in plan.lookups),
        *(f"  writes {one.name}: {one.format or 'rows'} {into[one.name]}{windows[one.name]}" for one in inserts),
    ]


def _place(table: Table) -> str:
    return connector_of(table).place(table)


def _read(source: Source) -> str:
    connector, watermark = connector_of(source.table), source.table.watermark
    interval = source_option(source.table.options, LIVE)
    until = "without an end" if connector.is_live(source.table) else "all that is there"
    until = until if interval is None else f"new files every {format_duration(interval)}"
    place = connector.place(source.table)
    return f"{source.table.format or 'rows'} in {place}, {until}" + (
        f", watermark {watermark.text}" if watermark is not None else ""
    )


def entry_line(entry: Entry, zone: str | None) -> str | None:
    """An entry in one line; None for an entry that is of no interest to a person."""
    return " · ".join(_parts(entry, zone)) or None


def _parts(entry: Entry, zone: str | None) -> Iterator[str]:
    body = entry.body
    if isinstance(body, Lease):
        yield f"driver of epoch {entry.epoch}, process {body.pid}"
        return
    if isinstance(body, Left):
        yield f"generation {body.successor} of the report takes its place"
        return
    published = list(_published(entry.published))
    if isinstance(body, Commit):
        yield f"{body.source}: {', '.join(_read_in(body))}"
    elif isinstance(body, Restate):
        yield f"from outside ({body.reason})"
    elif isinstance(body, Fill):
        yield f"{body.insert} is filled from {body.twin}, {counted(body.left, 'window')} to go"
    elif not published:
        return
    yield from published
    if entry.position is not None:
        yield watermark_text(entry.position, zone)


def _read_in(commit: Commit) -> Iterator[str]:
    yield counted(len(commit.ranges), "split") if commit.ranges else counted(len(commit.files), "file")
    yield counted(commit.rows, "row")
    late, rejected, fields = (
        sum(one.late for one in commit.late),
        rejected_rows(commit.rejected),
        null_fields(commit.rejected),
    )
    if late:
        yield f"{late:,} late"
    if rejected:
        yield f"{rejected:,} rejected"
    if fields:
        yield f"{counted(fields, 'field')} read as NULL"


def _published(published: Sequence[Published]) -> Iterator[str]:
    windows: dict[tuple[str, str], set[int]] = defaultdict(set)
    rows: dict[str, int] = defaultdict(int)
    for one in published:
        if one.end is None:
            rows[one.insert] += one.rows
        else:
            windows[one.insert, one.state].add(one.end)
    for (insert, state), ends in windows.items():
        kind = "" if state == COMPLETE else f"{state} "
        yield f"{insert}: {counted(len(ends), f'{kind}window')} up to {format_reached(max(ends))}"
    for insert, count in rows.items():
        yield f"{insert}: {counted(count, 'row')}"


def watermark_text(position: Position, zone: str | None) -> str:
    """The watermark, and its lag relative to the report's clock, unless the data is old."""
    operators = [state.watermark for state in position.operators.values() if state.watermark is not None]
    sources = [state.watermark for state in position.sources.values() if state.watermark is not None]
    watermark = min(operators or sources, default=None)
    if watermark is None:
        return "no watermark yet"
    if watermark >= END_OF_TIME:
        return "end of the input"
    lag = wall_clock(now_ms(), zone) - watermark
    return f"watermark {format_instant(watermark)}" + (f", lag {in_seconds(lag)}" if 0 <= lag < DAY else "")


def status_text(position: Position, published: Position, beat: Heartbeat | None, zone: str | None) -> str:
    """The current state of the stream, whose results up to the position `published` are in all tables."""
    waiting = f" · {counted(beat.pending_files, 'split')} waiting" if beat is not None and beat.pending_files else ""
    rows = sum(source.rows for source in position.sources.values())
    state = beat.state if beat is not None else "starting"
    return (
        f"{state} · {watermark_text(position, zone)} · {_windows(position.windows, published.windows)} · "
        f"{counted(rows, 'row')}, {position.late:,} late{waiting}"
    )


def _windows(decided: int, published: int) -> str:
    """`7 windows`, or `5 windows (7 decided)`."""
    return counted(published, "window") + (f" ({decided:,} decided)" if decided > published else "")


def sum_text(before: Position, after: Position, windows: int, batches: int) -> str:
    """What a stream has done between two positions, of which it has published so many windows in all tables."""
    first, last = before.sources.values(), after.sources.values()
    splits, rows, rejected, fields = (
        sum(getattr(one, name) for one in last) - sum(getattr(one, name) for one in first)
        for name in ("files", "rows", "rejected", "null_fields")
    )
    dropped = after.dropped - before.dropped
    in_none = f" ({dropped:,} of them in no window)" if dropped else ""
    as_null = f", {counted(fields, 'field')} read as NULL" if fields else ""
    return (
        f"{_windows(after.windows - before.windows, windows)} published; {counted(rows, 'row')} from "
        f"{counted(splits, 'split')} in {counted(batches, 'batch')}, {after.late - before.late:,} late{in_none}, "
        f"{rejected:,} rejected{as_null}"
    )


def in_seconds(ms: int) -> str:
    return format_duration(ms // 1000 * 1000)
