"""Changes in files and on standard output: in retraction form without a key, in update form with one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.engine.reports import MORNING, Event, Stream, events_table, plan_of

COUNTS = "SELECT n, COUNT(*) FROM (SELECT user_id, COUNT(*) AS n FROM events GROUP BY user_id) GROUP BY n"
FILES = "'connector' = 'filesystem', 'path' = '${{DATA}}/{0}', 'format' = 'debezium-json'"


def sink(name: str, options: str, key: str = "") -> str:
    columns = f"n BIGINT, users BIGINT{key}"
    return f"CREATE TABLE {name} ({columns}) WITH ({options.format(name)});\nINSERT INTO {name} {COUNTS};\n"


def lines(directory: Path) -> list[dict[str, Any]]:
    """In the order in which the files came."""
    files = sorted(directory.glob("*.json"), key=lambda file: file.stat().st_mtime_ns)
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def row(n: int, users: int | None) -> dict[str, int | None]:
    return {"n": n, "users": users}


def added(n: int, users: int) -> dict[str, Any]:
    return {"before": None, "after": row(n, users), "op": "c"}


def gone(n: int, users: int | None) -> dict[str, Any]:
    return {"before": row(n, users), "after": None, "op": "d"}


def test_both_forms(spark, tmp_path: Path, capfd) -> None:
    key = ", PRIMARY KEY (n) NOT ENFORCED"
    sinks = [sink("pairs", FILES), sink("keyed", FILES, key), sink("told", "'connector' = 'print'", key)]
    stream = Stream(spark, plan_of(tmp_path, events_table(), *sinks), tmp_path / "home")
    capfd.readouterr()
    for n, users in enumerate([(5, 6), (5,), (6,)]):
        stream.absorb_batches(tmp_path, [[Event(n * 9 + user, 1, user, "a", None, 0.5, MORNING) for user in users]])
    first, second, third = [added(1, 2)], [gone(1, 2), added(1, 1), added(2, 1)], [gone(1, 1), gone(2, 1), added(2, 2)]
    pairs = lines(tmp_path / "pairs")
    assert pairs[:1] == first and pairs[1:4] == second and pairs[4:] == third
    keyed = lines(tmp_path / "keyed")
    assert keyed == [added(1, 2), added(1, 1), added(2, 1), gone(1, None), added(2, 2)]
    printed = [line for line in capfd.readouterr().out.splitlines() if line[:2] in ("+I", "-U", "+U", "-D")]
    assert printed == ["+I[1, 2]", "+U[1, 1]", "+I[2, 1]", "-D[1, null]", "+U[2, 2]"]
