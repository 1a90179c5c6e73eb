"""`airflow-nrt status`: how a report is doing."""

from __future__ import annotations

import argparse

from airflow_nrt.cli.common import add_home, add_json, print_json
from airflow_nrt.launch.living import living_status
from airflow_nrt.report.durations import format_duration
from airflow_nrt.report.home import Home
from airflow_nrt.report.instants import END_OF_TIME, format_instant
from airflow_nrt.report.status import Status


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_home(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    status = living_status(Home.open(options.home, options.group))
    if options.json:
        print_json(status.to_json())
    else:
        print("\n".join(_lines(status)))
    return 0


def _lines(status: Status) -> list[str]:
    beat = status.heartbeat
    where = f" on {beat.host}, pid {beat.pid}, epoch {beat.epoch}" if beat is not None else ""
    lag = status.lag
    behind = "" if lag is None or status.watermark == END_OF_TIME else f", {format_duration(abs(lag) // 1000 * 1000)} "
    behind += "" if not behind else "behind the clock" if (lag or 0) >= 0 else "ahead of the clock"
    lines = [
        f"report      {status.report}",
        f"driver      {status.driver}{where}",
        f"log         entry {status.entry}" + (f", {_ago(status.age)}" if status.age is not None else ""),
        f"watermark   {format_instant(status.watermark)}{behind}",
        f"windows     {status.windows} published, complete up to {format_instant(status.last_window)}",
        f"rows        {status.rows} from {status.files} files; {status.late} late "
        f"({status.dropped} of them in no window), {status.rejected} rejected",
    ]
    if status.pending_files:
        lines.append(f"waiting     {status.pending_files} files, {status.pending_bytes} bytes")
    if status.changed_files:
        number = f" ({len(status.changed_files)} in all)" if len(status.changed_files) > 1 else ""
        lines.append(f"changed     {status.changed_files[0]}{number}: what was added or changed is in no result")
    if status.unreadable_files:
        lines.append(f"unreadable  {status.unreadable_files} files wait until they can be opened (named in the log)")
    if status.restatements:
        lines.append(f"restated    {status.restatements} times")
    if beat is not None and beat.error:
        lines.append(f"error       {beat.error}")
    for operator, until in status.suspects.items():
        lines.append(
            f"suspect     the carried state of operator {operator} is in doubt for windows up to "
            f"{format_instant(until)}: a verification found a real difference; verify them once they are complete"
        )
    return lines


def _ago(ms: int) -> str:
    return f"{format_duration(max(ms, 0) // 1000 * 1000)} ago"
