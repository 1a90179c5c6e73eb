"""A published table with one flipped cell, as a broken disk, a stray job or a mistake would leave it."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pendulum
from pyarrow import Table, array, parquet

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.basics.instants import format_instant, parse_instant
from airflow_nrt.demo.scene import Scene
from airflow_nrt.demo.screen import Screen

MINUTES_10 = 600_000


def flip_one_cell(table: Path, copy: Path, column: str) -> Path:
    """Copies a directory of parquet files and adds one to the first value of a column in its middle file.

    Returns the changed file, below `copy`.
    """
    shutil.copytree(table, copy)
    files = sorted(copy.rglob("*.parquet"))
    chosen = files[len(files) // 2]
    with chosen.open("rb") as file:
        content: Table = parquet.ParquetFile(file).read()
    values = content[column].to_pylist()
    values[0] += 1
    index = content.schema.get_field_index(column)
    flipped = content.set_column(index, content.schema.field(index), array(values, content.schema.field(index).type))
    parquet.write_table(flipped, chosen)
    return chosen


@contextlib.contextmanager
def verification_of_copy(scene: Scene, screen: Screen) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A copy of the published table with one flipped cell, and its verification while it runs."""
    copy = scene.place / "copy"
    file = flip_one_cell(scene.table, copy, "buyers")
    end = _window_end(file)
    screen.step(f"one cell of a copy is flipped, in the window that ends at {end}: will a verification find it?")
    command = [
        sys.executable, "-m", "airflow_nrt.cli.main", "verify", str(scene.report), "--home", str(scene.home.path),
        "--set", f"DATA={scene.data}", "--published", str(copy), "--master", "local[1]", "--json",
        "--start", format_instant(parse_instant(end) - 3 * MINUTES_10), "--end", format_instant(parse_instant(end)),
    ]  # fmt: skip
    with (scene.place / "copy.log").open("w") as log:
        process = scene.child(command, stdout=subprocess.PIPE, stderr=log)
    try:
        yield end, process
    finally:
        process.kill()
        process.wait()


def flip_verdict(process: subprocess.Popen[str], end: str, screen: Screen, patience: float) -> dict[str, Any]:
    """What the verification of the copy found, within `patience` seconds."""
    output, _ = process.communicate(timeout=patience)
    try:
        verdict: dict[str, Any] = json.loads(output)
    except ValueError:
        raise NrtError(f"the verification of the copy ended {process.returncode} without a verdict") from None
    named = [format_instant(bad["end"]) for insert in verdict["inserts"] for bad in insert["bad"]]
    screen.step(f"verification of the copy: exit status {process.returncode}, it names {', '.join(named) or 'nothing'}")
    return {**verdict, "proven": verdict["proven"] or named != [end] or process.returncode != 1}


def _window_end(file: Path) -> str:
    """`…-20240618T120000.parquet` ends at 2024-06-18 12:00:00."""
    return pendulum.from_format(file.stem.rpartition("-")[2], "YYYYMMDD[T]HHmmss").to_datetime_string()
