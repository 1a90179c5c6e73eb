"""`airflow-nrt status`: the status of a report and its driver."""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time

from airflow_nrt.basics.durations import format_duration
from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.instants import END_OF_TIME, complete_text, format_instant, format_reached
from airflow_nrt.basics.java_sources import JAVA_SOURCES
from airflow_nrt.basics.texts import counted
from airflow_nrt.cli.common import add_home, add_json, print_json, print_lines
from airflow_nrt.cli.terminal.colours import Colour, is_terminal, painted
from airflow_nrt.cli.terminal.screen import CLEAR
from airflow_nrt.home.heartbeat import ENDED, FINISHED, RUNNING, STARTING, STOPPED
from airflow_nrt.home.home import Home
from airflow_nrt.home.notes.first_windows import lacks_earlier
from airflow_nrt.home.status import Status
from airflow_nrt.launch.living import DIED, living_status

_GOOD = (STARTING, RUNNING, FINISHED, STOPPED)
_SHOWN_PLACES = 3
_TO_LOOK_AT = (
    "decided",
    "changed",
    "read",
    "unreadable",
    "closed",
    "suspect",
    "unusable",
    "nulled",
    "left",
    "set",
    "lacking",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_home(parser)
    add_json(parser)
    parser.add_argument(
        "--watch", type=float, nargs="?", const=2.0, metavar="SECONDS",
        help="repeat every SECONDS, until the driver has ended (default: 2)",
    )  # fmt: skip


def run(options: argparse.Namespace) -> int:
    home = Home.open(options.home, options.group)
    if options.watch is not None and not 0 < options.watch <= threading.TIMEOUT_MAX:
        raise InputError(f"--watch: {options.watch:g} seconds are no time to wait: write for example --watch 2")
    while True:
        status = living_status(home)
        _show(status, options)
        if options.watch is None or status.driver in (*ENDED, DIED, "none"):
            return 0
        time.sleep(options.watch)


def _show(status: Status, options: argparse.Namespace) -> None:
    if options.watch is not None and is_terminal(sys.stdout):
        print(CLEAR, end="")
    if options.json:
        # One line for each status, where there are several.
        print_json(status.to_json()) if options.watch is None else print_lines(json.dumps(status.to_json()))
    else:
        print_lines(*_coloured(_lines(status), status))


def _coloured(lines: list[str], status: Status) -> list[str]:
    """The status as lines; the state of the driver, and what needs attention, in colour."""
    state = Colour.GOOD if status.driver in _GOOD else Colour.WRONG
    colours = {"driver": state, **dict.fromkeys(_TO_LOOK_AT, Colour.WARNING), "error": Colour.WRONG}
    with_colours = [(line, colours.get(line.partition(" ")[0])) for line in lines]
    return [line if colour is None else painted(line, colour, sys.stdout) for line, colour in with_colours]


def _lines(status: Status) -> list[str]:
    beat = status.heartbeat
    where = f" on {beat.host}, pid {beat.pid}, epoch {beat.epoch}" if beat is not None else ""
    lag = status.lag
    distance = (
        "" if lag is None or status.watermark == END_OF_TIME else f", {format_duration(abs(lag) // 1000 * 1000)} "
    )
    distance += "" if not distance else "behind the clock" if (lag or 0) >= 0 else "ahead of the clock"
    lines = [
        f"report      {status.report}",
        f"driver      {status.driver}{where}",
        f"log         entry {status.entry}, {_ago(status.age)}"
        if status.age is not None
        else "log         no entry yet",
        f"watermark   {format_reached(status.watermark) if status.watermark is not None else 'none yet'}{distance}",
        f"windows     {status.windows:,} published{complete_text(status.last_window)}",
        f"rows        {status.rows:,} from {counted(status.files, 'split')}; {status.late:,} late "
        f"({status.dropped:,} of them in no window), {status.rejected:,} rejected",
    ]
    if status.rebuilding is not None:
        lines.append(f"changing    {status.rebuilding}")
    if status.null_fields:
        lines.append(
            f"fields      {counted(status.null_fields, 'field')} that can't be parsed, read as NULL: their rows count"
        )
    if status.waiting:
        decided = f"{counted(status.decided_windows, 'window')}{complete_text(status.decided_until)}"
        lines.append(f"decided     {decided}: some wait for their sink")
        lines += [f"table       {one}" for one in status.tables]
    if status.pending_files:
        lines.append(f"waiting     {counted(status.pending_files, 'split')}, {counted(status.pending_bytes, 'byte')}")
    if status.changed_files:
        number = f" ({len(status.changed_files)} in all)" if len(status.changed_files) > 1 else ""
        lines.append(f"changed     {status.changed_files[0]}{number}: what was added or changed is in no result")
    if status.restated_files:
        files = counted(status.restated_files, "file")
        lines.append(f"read        {files} restated by another report since: a backfill takes that in")
    if status.unreadable_files:
        files = counted(status.unreadable_files, "split")
        lines.append(f"unreadable  {files} to be read when they can be opened (named in the log)")
    for name, count in status.closed_files.items():
        lines.append(
            f"closed      {name}: {counted(count, 'file')} came after their directories were closed, and "
            f"{'is' if count == 1 else 'are'} not read (`airflow-nrt reopen` names them)"
        )
    for name, reason in status.unusable.items():
        effect = f": {JAVA_SOURCES[name].without}" if name in JAVA_SOURCES else ""
        lines.append(f"unusable    {name}.java does not fit the driver's Spark{effect} ({reason})")
    for expression, count in status.nulled.items():
        lines.append(f"nulled      {expression} could not be computed, and is NULL: {counted(count, 'value')}")
        places = list(status.nulled_in.get(expression, {}).items())[-_SHOWN_PLACES:]
        lines += [f"            {place}: {counted(in_place, 'value')}" for place, in_place in reversed(places)]
    for insert, reasons in status.left_out.items():
        lines += [f"left out    {insert}: {counted(count, 'row')}, {reason}" for reason, count in reasons.items()]
    if status.set_aside:
        lines.append(f"set aside   {counted(status.set_aside, 'row')} that a table refused (ledger/set-aside)")
    if status.restatements:
        lines.append(f"restated    {counted(status.restatements, 'time')}, by backfills and repairs")
    if status.removed_until is not None:
        lines.append(
            f"history     from entry {status.first_entry} on, after {format_instant(status.removed_until)} (UTC); "
            f"{_provable(status.provable_from)}"
        )
    lines += [f"lacking     {lacks_earlier(name, end)}" for name, end in status.first_windows.items()]
    if status.error:
        lines.append(f"error       {status.error}")
    for operator, until in status.suspects.items():
        lines.append(
            f"suspect     the carried state of operator {operator} is in doubt for windows up to "
            f"{format_instant(until)}: a verification found a real difference; verify them once they are complete"
        )
    return lines


def _provable(since: int | None) -> str:
    if since is None or since >= END_OF_TIME:
        return "no result can be proven any more"
    return f"windows that begin at {format_instant(since)} or later can be proven"


def _ago(ms: int) -> str:
    return f"{format_duration(max(ms, 0) // 1000 * 1000)} ago"
