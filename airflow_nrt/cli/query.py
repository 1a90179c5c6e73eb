"""`airflow-nrt query`: one query over bounded input, to the end; the result as JSON lines."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from airflow_nrt.basics.errors import InputError
from airflow_nrt.cli.common import add_master, session
from airflow_nrt.model.options.known import TIME_ZONE
from airflow_nrt.model.zones import read_zone

if TYPE_CHECKING:
    from airflow_nrt.model.plan import Plan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--ddl", metavar="FILE", help="CREATE TABLE and CREATE VIEW statements")
    given = parser.add_mutually_exclusive_group(required=True)
    given.add_argument("--query", metavar="FILE", help="one SELECT")
    given.add_argument(
        "-e", "--execute", metavar="SQL", help="the query as a text; statements before it may declare tables"
    )
    parser.add_argument("--mode", choices=("stream", "batch"), default="stream", help="how to run it (default: stream)")
    parser.add_argument(
        "--changelog", action="store_true", help="each change of the result, in order, instead of the final table"
    )
    parser.add_argument("--out", metavar="FILE", help="where to write the result (default: standard output)")
    parser.add_argument("--tz", metavar="ZONE", help="the session time zone, which wins over that of the script")
    add_master(parser)


def run(options: argparse.Namespace) -> int:
    plan = _plan(options)
    if options.out:
        _check_out(Path(options.out))
    with session(plan, options.master) as spark:
        from airflow_nrt.engine.query import run_bounded, run_changelog

        lines = list((run_changelog if options.changelog else run_bounded)(spark, plan, options.mode))
    text = "".join(f"{line}\n" for line in lines)
    if options.out:
        Path(options.out).write_text(text, encoding="utf-8")
        print(f"{len(lines)} rows written to {options.out}", file=sys.stderr)
    else:
        sys.stdout.write(text)
    return 0


def _plan(options: argparse.Namespace) -> Plan:
    from airflow_nrt.sql.errors import SqlError, SqlErrors
    from airflow_nrt.sql.planner import plan_query

    asked = _asked(options)
    if options.tz:
        _check_zone(options.tz)
    zone = {TIME_ZONE: options.tz} if options.tz else {}
    try:
        return plan_query(asked.tables, asked.query, asked.base, overrides=zone)
    except (SqlError, SqlErrors) as wrong:
        first = wrong.problems[0] if isinstance(wrong, SqlErrors) else wrong
        raise InputError(f"{asked.place(first.script)}: {wrong}") from None


@dataclass(frozen=True)
class _Asked:
    """The two texts, and the names of their origins in errors. Relative paths of tables start at `base`."""

    tables: str
    query: str
    base: Path
    of_tables: str
    of_query: str

    def place(self, script: str | None) -> str:
        return self.of_query if script == self.query else self.of_tables


def _asked(options: argparse.Namespace) -> _Asked:
    tables = _read(Path(options.ddl)) if options.ddl else ""
    base = Path(options.ddl).absolute().parent if options.ddl else Path.cwd()
    if options.execute is None:
        return _Asked(tables, _read(Path(options.query)), base, options.ddl or options.query, options.query)
    before, query = _split(options.execute)
    return _Asked(f"{tables}{before}", query, base, options.ddl or "-e", "-e")


def _split(text: str) -> tuple[str, str]:
    """The declarations, and the query after them. Raises InputError for a text that is no SQL."""
    from airflow_nrt.sql.errors import SqlError
    from airflow_nrt.sql.parse.lexer import Kind, tokenize

    try:
        tokens = tokenize(text)
    except SqlError as wrong:
        raise InputError(f"-e: {wrong}") from None
    ends = [one.end for one in tokens if (one.kind, one.text) == (Kind.SYMBOL, ";") and text[one.end :].strip()]
    last = max(ends, default=0)
    return text[:last], text[last:].lstrip()


def _check_out(file: Path) -> None:
    """Raises InputError if the file can't be written, before hours are spent on its content."""
    if file.is_dir():
        raise InputError(f"--out: {file} is a directory, a file is needed")
    if not file.parent.is_dir():
        raise InputError(f"--out: there is no directory {file.parent} to write {file.name} into")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise InputError(f"--out: no permission to write {file}")


def _check_zone(text: str) -> None:
    try:
        read_zone(text)
    except ValueError as wrong:
        raise InputError(f"--tz: {wrong}") from None


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as wrong:
        raise InputError(f"can't read {file}: {wrong}") from None
