"""A plan in words: operators, slices, state and its bounds, and what the batch reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import singledispatch
from typing import Any

from airflow_nrt.basics.durations import format_duration
from airflow_nrt.basics.instants import END_OF_TIME, format_instant
from airflow_nrt.basics.texts import counted
from airflow_nrt.describe.bounds import bound
from airflow_nrt.describe.dimensions import dimension_in_words
from airflow_nrt.describe.script_secrets import shown_option
from airflow_nrt.describe.without_effect import without_effect
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.internal_columns import CLOCK, OP, SIDE
from airflow_nrt.model.operators import AggregateCall, Regroup, RowFrame, WindowAggregate
from airflow_nrt.model.options.known import LIVE
from airflow_nrt.model.options.settings import Settings
from airflow_nrt.model.partition_time import partition_time
from airflow_nrt.model.plan import Insert, Plan, Source
from airflow_nrt.model.result_timing import AT_ONCE, OutputOptions, Rows
from airflow_nrt.model.steps import as_json
from airflow_nrt.model.updating import (
    END,
    RecentRows,
    RowsAtEnd,
    Updating,
    UpdatingAggregate,
    UpdatingJoin,
    UpdatingRows,
    UpdatingSessions,
)
from airflow_nrt.model.windows import format_length
from airflow_nrt.model.written import Written

_UNBOUNDED = {END: "nothing but the end of its sources", None: "nothing: every key is kept for ever"}


def describe(plan: Plan, start: int | None = None, end: int | None = None) -> dict[str, Any]:
    """The plan as JSON, without masked values; with an interval (ms) also what the batch reads for it."""
    description = {
        "report": plan.name,
        "sources": [_source(plan, source, start, end) for source in plan.sources],
        "dimensions": [dimension_in_words(lookup) for lookup in plan.lookups],
        "operators": [
            *(_operator(operator) for operator in plan.operators),
            *(_regroup(operator) for operator in plan.regroups),
            *(_updating(plan, operator) for operator in plan.updating),
        ],
        "inserts": [_insert(plan, insert) for insert in plan.inserts],
        "settings": {name: shown_option(name, plan.given.shown(text)) for name, text in plan.settings},
        "without_effect": without_effect(plan),
    }
    masked: dict[str, Any] = _masked(description, plan.given)
    return masked


def _masked(value: Any, given: Settings) -> Any:
    match value:
        case str():
            return given.shown(value)
        case dict():
            return {name: _masked(one, given) for name, one in value.items()}
        case list() | tuple():
            return [_masked(one, given) for one in value]
        case _:
            return value


def _source(plan: Plan, source: Source, start: int | None, end: int | None) -> dict[str, Any]:
    table = source.table
    connector = connector_of(table)
    every = table.options.get(LIVE)
    live = "live" if connector.is_live(table) else "bounded"
    description: dict[str, Any] = {
        "name": source.name,
        "path": connector.place(table),
        "format": table.format,
        "columns": list(source.columns),
        "watermark": f"{table.watermark.name} AS {table.watermark.text}" if table.watermark else None,
        "kind": f"live, looked at every {every}" if every else live,
    }
    if source.archive is not None:
        who = "the stream" if source.archive.written else "others"
        description["archive"] = f"{source.archive.insert.name}, written by {who}; backfill and verification read it"
    if source.rejected_into is not None:
        description["rejected_rows"] = f"also go into {source.rejected_into.name}"
    time = partition_time(table)
    if time is not None:
        description["partitions"] = f"by {time.pattern}, at most {format_duration(time.length)} each"
    if source.partitions is not None:
        description["batch_partitions"] = source.partitions.text
    if start is not None and end is not None:
        description["batch_reads"] = _batch_reads(plan, source, start, end)
    return description


def _batch_reads(plan: Plan, source: Source, start: int, end: int) -> dict[str, Any]:
    if plan.is_read_by_clock(source.name):
        return {"rows": "all that the stream has absorbed: windows over processing time hold any rowtime"}
    ending = [
        operator for operator in plan.operators if next(operator.window.ends_between(start, end), None) is not None
    ]
    firsts = [plan.first_rows(operator.name, start) for operator in ending]
    reached = [first[source.name] for first in firsts if source.name in first]
    if not reached:
        return {"rows": "none: no window ends in this interval"}
    earliest = min(reached)
    time = partition_time(source.table, source.zone)
    is_open = earliest == -END_OF_TIME
    reads: dict[str, Any] = {
        "rows_from": "the beginning: the length of a session has no bound" if is_open else format_instant(earliest),
        "rows_until": format_instant(plan.rows_until(end)),
    }
    if is_open and time is not None:
        reads["partitions"] = f"all up to {format_instant(end)}"
    elif time is None:
        reads["partitions"] = "all: the table does not say how its partitions lie in time"
    else:
        reach = time.expected(earliest - time.slack, end + (time.max_delay or 0) + time.slack)
        reads["partitions"] = [format_instant(at) for at in reach]
        reads["other_partitions"] = "files with a row of these windows, by the log or by the file itself"
    return reads


def _operator(operator: WindowAggregate) -> dict[str, Any]:
    return {
        "name": operator.name,
        **_absorbs(operator),
        "window": str(operator.window),
        **_keys(operator),
        "aggregates": [f"{call.text}: {call.type}" for call in operator.aggregates],
        "distinct_sets": len(operator.distinct_sets),
        **_describer_of(operator)(operator),
        **({"delay": f"its watermark lags {format_duration(operator.delay)}"} if operator.delay else {}),
    }


def _describer_of(operator: WindowAggregate) -> Callable[[WindowAggregate], dict[str, Any]]:
    """The description of this kind of operator alone."""
    if operator.versions:
        return _versions
    if operator.window.of_each_row:
        return _row_parts if operator.parts else _row_windows
    return _sessions if operator.window.bounded_by_rows else _slices


def _regroup(operator: Regroup) -> dict[str, Any]:
    return {
        "name": operator.name,
        **_absorbs(operator),
        "window": str(operator.window),
        **_keys(operator),
        "aggregates": [f"{call.text}: {call.type}" for call in operator.aggregates],
        "stored": ["nothing: the rows of a window arrive together"],
    }


def _absorbs(operator: WindowAggregate | Regroup | Updating) -> dict[str, Any]:
    """Its input, as the report writes it."""
    written = operator.written
    return {
        "reads": list(dict.fromkeys(name for query in operator.inputs for name in query.inputs)),
        **({"columns": list(written.columns)} if written.columns else {}),
        **({"where": written.where} if written.where else {}),
    }


def _keys(operator: WindowAggregate | Regroup | Updating) -> dict[str, Any]:
    """Its keys in the report's words; the columns of the rows if it keeps rows."""
    partition = {name for frame in getattr(operator, "frames", ()) for name in frame.partition}
    hidden = {"p", OP, SIDE, *partition}
    shown = [
        f"{operator.written.of(one.name) or one.name} {one.type.flink}"
        for one in operator.shown
        if one.name not in hidden
    ]
    return {"rows_of" if operator.keeps_rows else "keys": shown}


def _sessions(operator: WindowAggregate) -> dict[str, Any]:
    window = operator.window
    slot = window.grid
    return {
        "partition": [operator.written.of(name) or name for name in operator.partition],
        "published": f"when it is complete, in files by the {slot} that sessions end in",
        "stored": [
            "the rows of open sessions" if operator.keeps_rows else "one partial for each key and open session",
            "what arrived since sessions last fired",
            *_kept_rows(operator.aggregates),
            *_numbers(operator),
        ],
        "bounded_by": "; ".join(
            [f"the end of a session: {format_length(window.size)} without a row", *_bounds_of_numbers(operator)]
        ),
        "late": "a row is late if the session that it would make, or join, was complete when its batch began",
    }


def _row_windows(operator: WindowAggregate) -> dict[str, Any]:
    frames = operator.frames
    whole = [call for call, frame in zip(operator.aggregates, frames) if frame.low is None]
    stored = ["rows that have not fired"]
    if len(whole) < len(frames):
        stored.append("rows that the bounded frames of later ones look at")
    if whole:
        values = [call.text for call in whole if call.holds_values]
        also = f", and the values of {', '.join(dict.fromkeys(values))}" if values else ""
        stored.append(f"one partial of all rows that fired for each key of an unbounded frame{also}")
    growing = [frame for frame in frames if frame.growing]
    reached = f"{format_duration(operator.following)} after a row" if operator.following else "a row"
    if operator.followers:
        reached = f"a row and {counted(operator.followers, 'row')} after it, or the input has ended"
    intervals = all(frame.unit == "RANGE" and frame.low is not None for frame in frames)
    if operator.forgets:
        bound = "the longest frame: a key is forgotten one to one and a half times its length after the key's last row"
    elif operator.strict and intervals:
        bound = "the longest frame"
    elif all(frame.idle is not None for frame in frames):
        idle = format_duration(max(frame.idle or 0 for frame in frames))
        bound = f"the frames, and how many keys have come within {idle}: a key without a row for so long begins anew"
    else:
        bound = "the frames, and how many keys there are: none is forgotten"
        if growing and all(frame.period is not None for frame in growing) and len(growing) == len(whole):
            lengths = ", ".join(dict.fromkeys(f"{frame.period}" for frame in growing))
            bound = f"the keys of the rows of one {lengths}: these are forgotten with it"
        elif growing:
            last = (frame.partition[-1] for frame in growing)
            names = ", ".join(dict.fromkeys(operator.written.of(name) or name for name in last))
            bound += f"; of {names} only the newest value is kept, because it only grows"
    return {
        "frames": [_frame(frame, operator.written) for frame in frames],
        "published": f"when the watermark has reached {reached}, in files by {operator.window.grid}",
        "stored": stored,
        "bounded_by": bound,
        "late": "a row is late if a row of its key at or after its own time has fired"
        + (", and its key was not forgotten since" if operator.forgets else "")
        if not operator.strict
        else "a row is late if the watermark had passed it when its batch began",
    }


def _versions(operator: WindowAggregate) -> dict[str, Any]:
    return {
        "partition": [operator.written.of(name) or name for frame in operator.frames for name in frame.partition],
        "published": f"when the watermark has reached a row, in files by {operator.window.grid}",
        "stored": ["rows and versions that the watermark has not reached", "one version of each key of each table"],
        "bounded_by": "what the watermark has not reached, and how many keys there are: none is forgotten",
        "late": "a row is late if the watermark had passed it when its batch began; a late version counts for the rows "
        "that are still waiting",
    }


def _row_parts(operator: WindowAggregate) -> dict[str, Any]:
    parts = ", ".join(operator.input.inputs)
    return {
        "published": f"when each of {parts} has given its part of a row, in files by {operator.window.grid}",
        "stored": ["the parts of rows that wait for others"],
        "bounded_by": f"how many rows wait in {parts}",
        "late": f"none: a row was in time for {parts}",
    }


def _frame(frame: RowFrame, written: Written) -> str:
    def bound(value: int | None) -> str:
        if value is None:
            return "UNBOUNDED PRECEDING"
        length = format_duration(abs(value)) if frame.unit == "RANGE" else str(abs(value))
        return f"{length} {'PRECEDING' if value > 0 else 'FOLLOWING'}" if value else "CURRENT ROW"

    names = ", ".join(written.of(name) or name for name in frame.partition)
    keys = f"PARTITION BY {names}, " if names else ""
    return f"{keys}{frame.unit} BETWEEN {bound(frame.low)} AND {bound(frame.high)}"


def _slices(operator: WindowAggregate) -> dict[str, Any]:
    window = operator.window
    stored = ["the rows of open slices" if operator.keeps_rows else "partials of open slices"]
    if not window.one_slice:
        each = "the rows of each" if operator.keeps_rows else "one partial for each key and"
        stored.append(f"{each} closed slice that a later window needs")
    if operator.distinct_sets and not window.one_slice:
        stored.append("the distinct values of each key, once a window start")
    stored += _kept_rows(operator.aggregates)
    bound = (
        f"the end of the last window of a slice: state is dropped {format_length(window.size)} of event time after a "
        "row's slice at the latest"
    )
    return {
        "slice": str(window.slices),
        "windows_per_slice": sum(1 for _ in window.ends(window.slice_end(0))),
        "stored": [*stored, *_numbers(operator)],
        "bounded_by": "; ".join([bound, *_bounds_of_numbers(operator)]),
        "late": "none: the processing time of its batch decides the windows of a row"
        if CLOCK in operator.clock
        else "a row counts in each of its windows that was not complete when its batch began",
    }


def _numbers(operator: WindowAggregate) -> list[str]:
    """What is stored of rows that are numbered in the order of arrival."""
    if operator.numbering is None:
        return []
    most = operator.numbering.most
    return [f"how many rows of each key have come{f', up to {most}' if most is not None else ''}"]


def _bounds_of_numbers(operator: WindowAggregate) -> list[str]:
    numbering = operator.numbering
    if numbering is None:
        return []
    if numbering.period is not None:
        return [f"the numbers of keys of one {numbering.period}: these are forgotten when all of its windows are over"]
    if numbering.idle is not None:
        idle = format_duration(numbering.idle)
        return [f"how many keys have come within {idle}: a key without a row for so long begins anew"]
    return ["how many keys there are: none is forgotten"]


def _updating(plan: Plan, operator: Updating) -> dict[str, Any]:
    proof = bound(plan, operator)
    return {
        "name": operator.name,
        **_absorbs(operator),
        "window": "none: results change as rows arrive",
        **_keys(operator),
        "bounded_by": _UNBOUNDED.get(proof, proof),
        "late": "no row is ever late",
        **_of_updating(operator),
    }


@singledispatch
def _of_updating(operator: Updating) -> dict[str, Any]:
    """The description of one kind alone."""
    raise TypeError(f"nothing describes a {type(operator).__name__}: register its description here")


@_of_updating.register
def _recent(operator: RecentRows) -> dict[str, Any]:
    return {"stored": ["the rows that have not left"]}


@_of_updating.register
def _at_end(operator: RowsAtEnd) -> dict[str, Any]:
    return {"window": "none: all rows are emitted when their sources have ended", "stored": ["all rows"]}


@_of_updating.register
def _updating_sessions(operator: UpdatingSessions) -> dict[str, Any]:
    gap = f"SESSION {format_duration(operator.gap)}: they change as rows come and go"
    return {"window": gap, "stored": ["all rows, each with the bounds of its session"]}


@_of_updating.register
def _updating_rows(operator: UpdatingRows) -> dict[str, Any]:
    kept = f"the rows up to rank {operator.limit}" if operator.limit is not None else "all rows"
    framed = [f"{call.text}: {call.type}" for call in operator.calls]
    return {"aggregates": framed, "stored": [f"{kept} of each key" if operator.keys else kept]}


@_of_updating.register
def _updating_aggregate(operator: UpdatingAggregate) -> dict[str, Any]:
    aggregates = [f"{call.text}: {call.type}" for call in operator.aggregates]
    values = ", and the distinct values that are counted," if any(call.distinct for call in operator.aggregates) else ""
    kept = "all rows" if operator.changing else f"one partial{values}"
    stored = [f"{kept} of each key", *(() if operator.changing else _kept_rows(operator.aggregates))]
    return {"aggregates": aggregates, "stored": stored}


def _kept_rows(calls: Iterable[AggregateCall]) -> list[str]:
    """The state of Python functions that can't merge partial results."""
    kept = {call.text: call for call in calls if call.keeps_rows}
    if not kept:
        return []
    why = "with DISTINCT" if all(call.distinct for call in kept.values()) else "without merge"
    return [f"all rows of a group for {', '.join(kept)}: {why} there is no partial"]


@_of_updating.register
def _join(operator: UpdatingJoin) -> dict[str, Any]:
    sides = (("left", operator.left), ("right", operator.right))
    late = "a row meets those that are not forgotten" if operator.interval is not None else "no row is ever late"
    return {
        "late": late,
        "join": f"{operator.kind} JOIN ON {operator.text}",
        "stored": [
            f"all rows of the {name} side, by key: {counted(len(side.columns), 'column')}" for name, side in sides
        ],
    }


def _publishes(plan: Plan, insert: Insert) -> str:
    if any(one.waits_for_end and one.name in insert.query.inputs for one in plan.updating):
        return "all rows at once, in their order, when their sources have ended"
    if insert.replaces_table:
        parts = "each partition" if insert.sink.partition_keys else "the table"
        return f"{parts} as each batch that changes it leaves it"
    if insert.changes:
        return "what each batch changes"
    if not insert.timing.publishes_once:
        return f"windows of {', '.join(insert.operators)}, again whenever the timing says so"
    if insert.timing.complete_result:
        return f"windows of {', '.join(insert.operators)} {_from_end(insert.timing.complete_result)}"
    return f"windows of {', '.join(insert.operators)} when they are complete" if insert.operators else "each batch"


def _insert(plan: Plan, insert: Insert) -> dict[str, Any]:
    table = insert.sink
    return {
        "name": insert.name,
        "reads": sorted(plan.sources_of(insert.query)),
        "steps": as_json(insert.steps),
        "connector": table.connector,
        "path": table.options.get("path"),
        "format": table.options.get("format"),
        "columns": [f"{column.name} {column.type.flink}" for column in table.physical],
        "publishes": _publishes(plan, insert),
        "key": list(insert.key) if insert.key is not None else None,
        "timing": _timing(insert.timing),
    }


def _timing(timing: OutputOptions) -> dict[str, str]:
    """The timing, where it differs from the default."""
    if timing == AT_ONCE:
        return {}
    complete = _from_end(timing.complete_result)
    described = {"complete_result": complete}
    if timing.is_early:
        assert timing.first_result is not None
        first = {"first_result": _from_end(timing.first_result), "update_rate": _rate(timing.update_rate)}
        described = {**first, **described}
    if timing.late_updates:
        final = _from_end(timing.final)
        described["late_updates"] = "each batch that brings late rows"
        described["last_result"] = f"{final}: then state is dropped, later rows only reach the late ledger"
    elif timing.last_result is not None:
        described["last_result"] = "the complete one: nothing is published after it without late-updates"
    if timing.result_state is not None:
        described["result_state"] = f"column {timing.result_state}"
    return described


def _rate(rate: int | Rows | None) -> str:
    if isinstance(rate, Rows):
        return f"every {rate.count} rows of a window"
    return "each batch" if rate is None else f"every {format_duration(rate)}"


def _from_end(offset: int) -> str:
    if not offset:
        return "when the watermark reaches the end of a window"
    return f"{format_duration(abs(offset))} {'before' if offset < 0 else 'after'} the end of a window"
