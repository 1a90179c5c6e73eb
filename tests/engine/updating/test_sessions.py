"""SESSION over tables that change: sessions merge, split, appear and vanish, and each batch emits its changes.

rows    5 . 8 . . . . 14 . 17            5 to 11, 14 to 20: two sessions, of a gap of 3 minutes
+ 11    5 . 8 . . 11 . 14 . 17           5 to 20: they are one
- 8     5 . . . . 11 . 14 . 17           5 to 8, 11 to 20
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.model.plan import Plan
from tests.engine.reports import (
    MINUTE,
    MORNING,
    Stream,
    clock,
    insert_result,
    ordered,
    plan_of,
    rows_of,
    source_file,
    write_lines,
)
from tests.engine.updating.queries import emitted, folded, published_in_parquet

COLUMNS = "id INT, u INT, v STRING, n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts"
KEY = ", PRIMARY KEY (id) NOT ENFORCED"
SOURCES = {
    "newest": ("json", KEY),
    "keyed": ("debezium-json", KEY),
    "counted": ("debezium-json", ""),
    "added": ("json", ""),
}
"""An update table, a changelog with a key, one without, and an append table."""
DROPS = "SET 'table.exec.sink.not-null-enforcer' = 'drop';"
"""A key has no NULL."""
SESSION = "SESSION(TABLE {} PARTITION BY u, DESCRIPTOR(ts), INTERVAL '3' MINUTES)"
BOUNDS = "window_start, window_end"
Row = tuple[int, "int | None", str, int, int]
"""`id`, `u`, `v`, `n` and the minute."""
Change = tuple["Row | None", "Row | None"]
"""The row before, and the row after."""


def sources(*names: str) -> str:
    return "\n".join(
        f"CREATE TABLE {name} ({COLUMNS}{SOURCES[name][1]}) "
        f"WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/{name}', 'format' = '{SOURCES[name][0]}');"
        for name in names
    )


def sink(name: str, columns: str, query: str, options: str = "'connector' = 'print'") -> str:
    return f"CREATE TABLE {name} ({columns}) WITH ({options});\nINSERT INTO {name} {query};\n"


def lines(source: str, changes: Iterable[Change]) -> list[str]:
    """The changes as lines of a source: an update table knows no row that is gone, with a key that is all that goes."""
    if SOURCES[source][0] == "json":
        return [json.dumps(as_json(after)) for _, after in changes if after is not None]
    ops = {(False, True): "c", (True, False): "d", (True, True): "u"}
    return [
        json.dumps(
            {
                "before": {"id": before[0]} if source == "keyed" and before is not None else as_json(before),
                "after": as_json(after),
                "op": ops[before is not None, after is not None],
            }
        )
        for before, after in changes
    ]


def as_json(row: Row | None) -> dict[str, Any] | None:
    if row is None:
        return None
    id, u, v, n, minute = row
    return {"id": id, "u": u, "v": v, "n": n, "ts": clock(MORNING + minute * MINUTE)}


class Changing:
    """A stream over sources that all take the same changes, batch by batch."""

    def __init__(self, spark, plan: Plan, place: Path) -> None:
        self.spark, self.plan, self.place = spark, plan, place
        self.stream = Stream(spark, plan, place / "home")
        self.files: dict[str, list[Path]] = {source.name: [] for source in plan.sources}

    def absorb(self, changes: Sequence[Change]) -> None:
        for name, files in self.files.items():
            file = self.place / name / f"{len(files)}.json"
            files.append(write_lines(file, lines(name, changes), at=(len(files) + 1) * 10**9))
            self.stream.absorb(file, source=name)

    def batch(self, name: str) -> list[tuple[Any, ...]]:
        """What the batch over all rows says to an insert."""
        insert = next(one for one in self.plan.inserts if one.name == name)
        files = {name: [source_file(file) for file in files] for name, files in self.files.items()}
        columns = [column.name for column in insert.sink.columns]
        return ordered(insert_result(self.spark, self.plan, insert, files).select(*columns).collect())


def came(*rows: Row) -> list[Change]:
    return [(None, row) for row in rows]


# ---------------------------------------------------------------------------------------------------- drawn


def minutes(*times: int, u: int = 1) -> list[Row]:
    return [(100 * u + time, u, "a", 1, time) for time in times]


def gone(*rows: Row) -> list[Change]:
    return [(row, None) for row in rows]


COUNTS = f"SELECT u, window_start, window_end, COUNT(*) FROM {SESSION.format('keyed')} GROUP BY u, {BOUNDS}"
COUNTED = "u INT, s TIMESTAMP(3), e TIMESTAMP(3), n BIGINT"


def test_they_merge_split_and_vanish(spark, tmp_path: Path) -> None:
    report = sources("keyed") + sink("told", COUNTED, COUNTS)
    live = Changing(spark, published_in_parquet(plan_of(tmp_path, report), tmp_path), tmp_path)
    seen = []
    for changes in (
        came(*minutes(5, 8, 14, 17), *minutes(30, u=2)),
        came(*minutes(11)),
        gone(*minutes(8)),
        [((117, 1, "a", 1, 17), (117, 1, "a", 1, 7))],
        gone(*minutes(11, 14)),
    ):
        known = len(emitted(tmp_path / "told"))
        live.absorb(changes)
        news = emitted(tmp_path / "told")[known:]
        seen.append({(op, u, s.minute, e.minute, n) for op, _, (u, s, e, n) in news})
    assert seen == [
        {("+I", 1, 5, 11, 2), ("+I", 1, 14, 20, 2), ("+I", 2, 30, 33, 1)},
        {("-D", 1, 5, 11, 2), ("-D", 1, 14, 20, 2), ("+I", 1, 5, 20, 5)},
        {("-D", 1, 5, 20, 5), ("+I", 1, 5, 8, 1), ("+I", 1, 11, 20, 3)},
        {("-D", 1, 5, 8, 1), ("+I", 1, 5, 10, 2), ("-D", 1, 11, 20, 3), ("+I", 1, 11, 17, 2)},
        {("-D", 1, 11, 17, 2)},
    ]
    assert live.batch("told") == folded(tmp_path / "told").table


def test_sessions_that_a_batch_leaves_alone_are_not_written_again(spark, tmp_path: Path) -> None:
    table = "'connector' = 'filesystem', 'path' = '${DATA}/told', 'format' = 'json'"
    counts = COUNTS.replace("window_end, COUNT", "COUNT")
    columns = "u INT, s TIMESTAMP(3), n BIGINT, PRIMARY KEY (u, s) NOT ENFORCED"
    live = Changing(spark, plan_of(tmp_path, sources("keyed"), sink("told", columns, counts, table)), tmp_path)
    live.absorb(came(*minutes(0, 1, 2, 10, 11, 20), *minutes(0, 1, 10, u=2)))
    live.absorb(came(*minutes(13)))
    newest = max(live.stream.driver.position.updating["u2"], key=lambda file: file.last)
    assert newest.rows == 3  # those of 10 to 16, of the first
    assert [row[2] for row in rows_of(tmp_path / "told", "json")] == [3, 3, 1, 2, 1]
    verdict = verify(spark, live.plan, live.stream.home)
    assert verdict.is_proven and verdict.inserts[0].rows["equal"] == 5


# ---------------------------------------------------------------------------------------------------- by lot

FIELDS = st.tuples(st.sampled_from([1, 2, None]), st.sampled_from("ab"), st.integers(1, 3), st.integers(0, 15))
STEPS = st.lists(st.tuples(st.integers(1, 6), st.none() | FIELDS | FIELDS), min_size=4, max_size=16)
CUTS = st.lists(st.integers(1, 15), max_size=2)
VALUES = "COUNT(*), COUNT(DISTINCT v), SUM(n) FILTER (WHERE v = 'a')"
FILES = "'connector' = 'filesystem', 'path' = '${{DATA}}/told', 'format' = '{}'"
OLDER = (
    f"SELECT u, SESSION_START(ts, INTERVAL '3' MINUTE), SESSION_END(ts, INTERVAL '3' MINUTE), {VALUES} FROM keyed "
    "WHERE n > 1 GROUP BY u, SESSION(ts, INTERVAL '3' MINUTE)"
)
GROUPED = f"SELECT u, {BOUNDS}, {VALUES} FROM {SESSION} GROUP BY u, {BOUNDS}"
RESULTS = "u INT, s TIMESTAMP(3), e TIMESTAMP(3), rs BIGINT, vs BIGINT, n BIGINT"


REPORTS = {
    "newest": (f"{RESULTS}, PRIMARY KEY (u, s) NOT ENFORCED", GROUPED.format("newest"), "parquet", None),
    "keyed": (f"{RESULTS}, PRIMARY KEY (u, e) NOT ENFORCED", OLDER, "debezium-json", ("u", "e")),
    "counted": (RESULTS, GROUPED.format("counted"), "debezium-json", None),
}
"""By source the columns, the query, the form in which they are emitted, and the key of that form."""


def changes_of(steps: Sequence[tuple[int, Any]]) -> list[Change]:
    """What happens to the table, step by step."""
    table: dict[int, Row] = {}
    changes: list[Change] = []
    for id, fields in steps:
        before, after = table.get(id), None if fields is None else (id, *fields)
        if before is not None or after is not None:
            changes.append((before, after))
        table.update({id: after} if after is not None else {})
        if after is None:
            table.pop(id, None)
    return changes


def standing(kind: str, changes: Iterable[Change]) -> list[Row]:
    """The rows that the query groups, when all has come."""
    table: dict[int, Row] = {}
    for before, after in changes:
        known = table.get(after[0]) if after is not None and kind == "newest" else None
        if after is not None and (known is None or after[4] >= known[4]):
            table[after[0]] = after
        elif before is not None and after is None and kind != "newest":
            del table[before[0]]
    return [row for row in table.values() if kind != "keyed" or row[3] > 1]


def results(rows: Iterable[Row]) -> list[tuple[Any, ...]]:
    """`RESULTS` of these rows, by user, in minutes."""
    of: dict[Any, list[list[Row]]] = {}
    for row in sorted(rows, key=lambda row: row[4]):
        sessions = of.setdefault(row[1], [])
        if sessions and row[4] - sessions[-1][-1][4] <= 3:
            sessions[-1].append(row)
        else:
            sessions.append([row])
    return ordered(
        (u, one[0][4], one[-1][4] + 3, len(one), len({v for _, _, v, _, _ in one}), sum(a) if a else None)
        for u, sessions in of.items()
        for one in sessions
        for a in ([n for _, _, v, n, _ in one if v == "a"],)
    )


def in_minutes(rows: Iterable[Sequence[Any]]) -> list[tuple[Any, ...]]:
    def minute(value: Any) -> int:
        return datetime.fromisoformat(value.removesuffix("Z")).minute if isinstance(value, str) else value.minute

    return ordered((u, minute(s), minute(e), *rest) for u, s, e, *rest in rows)


def folded_lines(directory: Path, key: Sequence[str] | None) -> list[tuple[Any, ...]]:
    """The table that a changelog of `debezium-json` makes, by this key; None: by whole rows."""
    table: Counter[tuple[Any, ...]] = Counter()
    for file in sorted(directory.glob("*.json"), key=lambda file: file.stat().st_mtime_ns):
        for change in map(json.loads, file.read_text().splitlines()):
            before, after = change["before"], change["after"]
            names = key or before or ()
            gone = [row for row in table if names and all(dict(row)[name] == (before or after)[name] for name in names)]
            assert before is None or len(gone) == 1, "what is taken back is there"
            table -= Counter(gone)
            table.update([tuple(after.items())] if after is not None else [])
    return [tuple(dict(row).values()) for row in table.elements()]


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", [one if one == "keyed" else pytest.param(one, marks=pytest.mark.thorough) for one in REPORTS]
)
@settings(max_examples=2, phases=(Phase.explicit, Phase.generate))
@given(steps=STEPS, cuts=CUTS)
@example([(1, (1, "a", 2, 0)), (2, (1, "b", 2, 6)), (3, (1, "a", 2, 3)), (3, None), (2, (2, "b", 1, 6))], [2, 3])
def test_folded_they_are_those_of_the_table_as_it_stands(spark, kind: str, steps: list[Any], cuts: list[int]) -> None:
    """However the changes are cut into batches: of each kind of source, in each form, as a stream and in batch."""
    changes = changes_of(steps)
    columns, query, form, key = REPORTS[kind]
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        plan = plan_of(place, DROPS, sources(kind), sink("told", columns, query, FILES.format(form)))
        live = Changing(spark, plan, place)
        ends = sorted({*(cut for cut in cuts if cut < len(changes)), len(changes)})
        for start, end in zip([0, *ends], ends):
            live.absorb(changes[start:end])
        said = [row for row in results(standing(kind, changes)) if row[0] is not None or "KEY" not in columns]
        streamed = rows_of(place / "told") if form == "parquet" else folded_lines(place / "told", key)
        assert in_minutes(streamed) == in_minutes(live.batch("told")) == said


# ---------------------------------------------------------------------------------------------------- every query

EMITTED = "SET 'table.exec.emit.early-fire.enabled' = 'true';"
OF_DUCKDB = """SELECT *, min(ts) OVER one AS s, max(ts) OVER one + INTERVAL 3 MINUTE AS e
    FROM (SELECT *, sum(CASE WHEN ts - before <= INTERVAL 3 MINUTE THEN 0 ELSE 1 END) OVER ({0} ORDER BY ts) AS place
        FROM (SELECT *, lag(ts) OVER ({0} ORDER BY ts) AS before FROM {1}))
    WINDOW one AS ({2} place)"""
BY_USER = OF_DUCKDB.format("PARTITION BY u", "newest", "PARTITION BY u,")
QUERIES = {
    "raw": (
        "id INT, s TIMESTAMP(3), t TIMESTAMP(3)",
        f"SELECT id, window_start, window_time FROM {SESSION.format('newest')} WHERE n > 1",
        f"SELECT id, s, e - INTERVAL 1 MILLISECOND FROM ({BY_USER}) WHERE n > 1",
    ),
    "some": (
        "u INT, s TIMESTAMP(3), n BIGINT",
        f"SELECT u, window_start, COUNT(*) FROM {SESSION.format('newest')} WHERE n > 1 GROUP BY u, {BOUNDS}",
        f"SELECT u, s, count(*) FROM ({BY_USER}) WHERE n > 1 GROUP BY u, s, e",
    ),
    "of_all": (
        "s TIMESTAMP(3), e TIMESTAMP(3), us BIGINT",
        f"SELECT {BOUNDS}, COUNT(DISTINCT u) FROM {SESSION.format('newest').replace('PARTITION BY u', '')} "
        f"GROUP BY {BOUNDS}",
        f"SELECT s, e, count(DISTINCT u) FROM ({OF_DUCKDB.format('', 'newest', 'PARTITION BY ')}) GROUP BY s, e",
    ),
    "best": (
        "u INT, s TIMESTAMP(3), id INT",
        f"SELECT u, window_start, id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY u, {BOUNDS} ORDER BY n DESC, id) "
        f"AS place FROM {SESSION.format('newest')}) WHERE place = 1",
        f"SELECT u, s, id FROM ({BY_USER}) QUALIFY row_number() OVER (PARTITION BY u, s, e ORDER BY n DESC, id) = 1",
    ),
    "by_hour": (
        "h TIMESTAMP(3), n BIGINT",
        "SELECT window_start, COUNT(*) FROM TUMBLE((SELECT window_time AS t FROM "
        f"{SESSION.format('newest')}), DESCRIPTOR(t), INTERVAL '10' MINUTE) GROUP BY {BOUNDS}",
        "SELECT time_bucket(INTERVAL 10 MINUTE, e - INTERVAL 1 MILLISECOND) AS h, count(*) "
        f"FROM ({BY_USER}) GROUP BY h",
    ),
    "of_parts": (
        "odd INT, v STRING, s TIMESTAMP(3), n BIGINT",
        "SELECT MOD(id, 2), v, SESSION_START(ts, INTERVAL '3' MINUTE), SUM(n) FROM added WHERE n > 1 "
        "GROUP BY SESSION(ts, INTERVAL '3' MINUTE), MOD(id, 2), v",
        "SELECT odd, v, s, sum(n) FROM ("
        + OF_DUCKDB.format(
            "PARTITION BY odd, v", "(SELECT *, id % 2 AS odd FROM added WHERE n > 1)", "PARTITION BY odd, v,"
        )
        + ") GROUP BY odd, v, s, e",
    ),
}
"""Columns of the result, the query, and what DuckDB is asked. `added` has the rows that came, one by one."""


@pytest.mark.thorough
def test_what_can_stand_above_them(spark, tmp_path: Path) -> None:
    rows = [(n % 7, n % 3 or None, "ab"[n % 2], n % 4, n * 5 % 37) for n in range(30)]
    inserts = [sink(name, columns, query) for name, (columns, query, _) in QUERIES.items()]
    plan = plan_of(tmp_path, EMITTED, sources("newest", "added"), *inserts)
    live = Changing(spark, published_in_parquet(plan, tmp_path), tmp_path)
    for batch in (rows[:12], rows[12:20], rows[20:]):
        live.absorb(came(*batch))
    connection = duckdb.connect()
    connection.execute("CREATE TABLE added (id INT, u INT, v VARCHAR, n INT, ts TIMESTAMP, line INT)")
    lines_of = [(*row[:4], clock(MORNING + row[4] * MINUTE), line) for line, row in enumerate(rows)]
    connection.executemany("INSERT INTO added VALUES (?, ?, ?, ?, ?, ?)", lines_of)
    newest = "SELECT * FROM added QUALIFY row_number() OVER (PARTITION BY id ORDER BY ts DESC, line DESC) = 1"
    connection.execute(f"CREATE TABLE newest AS {newest}")
    for name, (_, _, asked) in QUERIES.items():
        said = ordered(connection.execute(asked).fetchall())
        assert said and folded(tmp_path / name).table == said, name
        assert live.batch(name) == said, name
