"""Whether the results of two peers are equal: only then a time counts."""

from __future__ import annotations

from pathlib import Path

import duckdb


def parquet(path: Path) -> str:
    """A table of Parquet files."""
    return f"SELECT * FROM read_parquet('{path}')"


def flink_csv(directory: Path, names: str) -> str:
    """A table of the files of Flink's filesystem sink. Without checkpoints its files keep their hidden names; with
    checkpoints, files that are hidden at the end were not committed by a killed job."""
    columns = ", ".join(names.split())
    written = [file for file in directory.rglob("*") if file.is_file() and file.stat().st_size]
    files = [str(file) for file in written if not file.name.startswith(".")] or [str(file) for file in written]
    return f"SELECT {columns} FROM read_csv({files}, header = false, names = {names.split()})"


def difference(ours: str, theirs: str, names: str, where: str) -> str:
    """The differences between two queries in these columns of some rows; empty if they are equal."""
    columns = ", ".join(f"CAST({name} AS {_TYPES.get(name, 'BIGINT')}) AS {name}" for name in names.split())
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE a AS SELECT {columns} FROM ({ours}) WHERE {where}")
    connection.execute(f"CREATE TABLE b AS SELECT {columns} FROM ({theirs}) WHERE {where}")
    count = connection.execute("SELECT (SELECT count(*) FROM a), (SELECT count(*) FROM b)").fetchone()
    only = [
        connection.execute(f"SELECT * FROM {one} EXCEPT ALL SELECT * FROM {other} ORDER BY ALL LIMIT 3").fetchall()
        for one, other in (("a", "b"), ("b", "a"))
    ]
    return f"{count} rows; only ours {only[0]}; only theirs {only[1]}" if any(only) else ""


_TYPES = {"window_start": "TIMESTAMP", "window_end": "TIMESTAMP", "sales": "DECIMAL(38, 2)"}
