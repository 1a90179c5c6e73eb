"""`airflow-nrt query`: one query over bounded input, to the end; the result as JSON lines."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.texts import counted
from airflow_nrt.cli.common import add_master
from airflow_nrt.usecases.requests.query import MODES, STREAM, QueryRequest, SqlText
from airflow_nrt.usecases.requests.report import DEFAULT_MASTER


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--ddl", metavar="FILE", help="CREATE TABLE and CREATE VIEW statements")
    given = parser.add_mutually_exclusive_group(required=True)
    given.add_argument("--query", metavar="FILE", help="one SELECT")
    given.add_argument(
        "-e", "--execute", metavar="SQL", help="the query as a text; statements before it may declare tables"
    )
    parser.add_argument("--mode", choices=MODES, default=STREAM, help="how to run it (default: stream)")
    parser.add_argument(
        "--changelog", action="store_true", help="each change of the result, in order, instead of the final table"
    )
    parser.add_argument("--out", metavar="FILE", help="where to write the result (default: standard output)")
    parser.add_argument("--tz", metavar="ZONE", help="the session time zone, which wins over that of the script")
    add_master(parser)


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.usecases.query import query

    request = request_of(options)
    if options.out:
        _check_out(Path(options.out))
    lines = query(request)
    text = "".join(f"{line}\n" for line in lines)
    if options.out:
        Path(options.out).write_text(text, encoding="utf-8")
        print(f"{counted(len(lines), 'row')} written to {options.out}", file=sys.stderr)
    else:
        sys.stdout.write(text)
    return 0


def request_of(options: argparse.Namespace) -> QueryRequest:
    """Reads the files. Raises InputError for one that can't be read, for a text that is no SQL and for a zone that is
    none."""
    tables = _read(Path(options.ddl)) if options.ddl else ""
    base = Path(options.ddl).absolute().parent if options.ddl else Path.cwd()
    before, query = "", ""
    if options.execute is None:
        query = _read(Path(options.query))
    else:
        from airflow_nrt.usecases.query import split_script

        before, query = split_script(options.execute, "-e")
    origin = "-e" if options.execute is not None else options.query
    return QueryRequest(
        SqlText(f"{tables}{before}", options.ddl or origin), SqlText(query, origin), base,
        options.mode, options.changelog, options.tz, options.master or DEFAULT_MASTER,
    )  # fmt: skip


def _check_out(file: Path) -> None:
    """Raises InputError if the file can't be written, before hours are spent on its content."""
    if file.is_dir():
        raise InputError(f"--out: {file} is a directory, a file is needed")
    if not file.parent.is_dir():
        raise InputError(f"--out: there is no directory {file.parent} to write {file.name} into")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise InputError(f"--out: no permission to write {file}")


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as wrong:
        raise InputError(f"can't read {file}: {wrong}") from None
