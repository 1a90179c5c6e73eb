"""`airflow-nrt changelog`: what became visible, was replaced and was removed, one line per window and version.

With `--rows`, also the changes of rows where files hold them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.instants import format_instant
from airflow_nrt.cli.common import add_home, add_json, print_json
from airflow_nrt.curve.outlines import outline_of
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.sink_history import REMOVED, Change, changes

_OPS = {"c": "+", "d": "-"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_home(parser)
    parser.add_argument(
        "--rows",
        action="store_true",
        help="also the emitted (+) and retracted (-) rows, for files of debezium-json",
    )
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    home = Home.open(options.home, options.group)
    log = changes(home.log().entries())
    roots = _roots(home) if options.rows else {}
    if options.json:
        print_json([{**_as_json(one), **({"rows_changed": _rows(roots, one)} if options.rows else {})} for one in log])
        return 0
    print(
        f"{'entry':>6}  {'published (UTC)':23}  op  {'insert':20} {'window start':19}  {'window end':19}  "
        f"{'state':9} {'rows':>8}"
    )
    for one in log:
        published = one.published
        print(
            f"{one.entry:6}  {format_instant(one.time):23}  {one.op:2}  {published.insert:20} "
            f"{format_instant(published.start):19}  {format_instant(published.end):19}  "
            f"{published.state:9} {published.rows:8}"
        )
        for row in _rows(roots, one):
            side = row["before"] if row["op"] == "d" else row["after"]
            print(f"{'':33}{_OPS[row['op']]}   {json.dumps(side, ensure_ascii=False)}")
    return 0


def _as_json(one: Change) -> dict[str, Any]:
    return {"entry": one.entry, "time": one.time, "op": one.op, **asdict(one.published)}


def _roots(home: Home) -> dict[str, Path]:
    """The directories of the inserts that write changes of rows. Raises InputError if there are none."""
    roots = {
        insert.name: Path(insert.directory)
        for insert in outline_of(home).inserts
        if insert.is_changelog and insert.directory is not None
    }
    if not roots:
        raise InputError("--rows: no table that this report writes has 'format' = 'debezium-json', which holds changes")
    return roots


def _rows(roots: Mapping[str, Path], one: Change) -> list[dict[str, Any]]:
    """The changes in a file; none if it has been removed since."""
    root = roots.get(one.published.insert)
    file = root / one.published.target if root is not None and one.op != REMOVED else None
    if file is None or not file.is_file():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
