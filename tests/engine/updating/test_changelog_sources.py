"""Sources of changes: what each line does, and that a table comes back from its changelog."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.plan import Plan
from tests.engine.reports import (
    MORNING,
    Event,
    Stream,
    events_table,
    insert_result,
    ordered,
    plan_of,
    source_file,
    write_lines,
)
from tests.engine.updating.queries import emitted, folded, published_in_parquet

CHANGES = "'connector' = 'filesystem', 'path' = '${DATA}/%s', 'format' = 'debezium-json'"
COLUMNS = "id BIGINT, shop STRING, n INT"


def reading(place: Path, *queries: str, key: str = "", options: str = "") -> Plan:
    """A report over the changelog `orders`, whose results are emitted to `q0`, `q1`, …"""
    source = f"CREATE TABLE orders ({COLUMNS}{key}) WITH ({CHANGES % 'orders'}{options});"
    inserts = [
        f"CREATE TABLE q{n} (a BIGINT, b STRING, c INT) WITH ('connector' = 'print'); INSERT INTO q{n} {query};"
        for n, query in enumerate(queries)
    ]
    return published_in_parquet(plan_of(place, source, *inserts), place)


def order(id: int, shop: str, n: int) -> dict[str, Any]:
    return {"id": id, "shop": shop, "n": n}


def line(op: str, before: Any = None, after: Any = None) -> str:
    return json.dumps({"before": before, "after": after, "op": op, "ts_ms": 5})


def stream(spark, plan: Plan, place: Path, batches: Sequence[Sequence[str]]) -> Stream:
    one = Stream(spark, plan, place / "home")
    for n, lines in enumerate(batches):
        one.absorb(write_lines(place / "orders" / f"{n}.json", lines, at=(n + 1) * 10**9), source="orders")
    return one


KEY = ", PRIMARY KEY (id) NOT ENFORCED"
ALL = "SELECT id, shop, n FROM orders"
SHOPS = "SELECT COUNT(DISTINCT id), shop, SUM(n) FROM orders GROUP BY shop"


def changes(place: Path) -> list[tuple[str, tuple[Any, ...]]]:
    return [(op, row) for op, _, row in emitted(place / "q0")]


def test_what_lines_do_without_a_key(spark, tmp_path: Path) -> None:
    batches = [
        [line("c", after=order(1, "a", 5)), line("c", after=order(1, "a", 5)), line("r", after=order(2, "a", 1))],
        [line("d", before=order(1, "a", 5)), line("u", order(2, "a", 1), order(2, "b", 3))],
    ]
    plan = reading(tmp_path, ALL, SHOPS)
    stream(spark, plan, tmp_path, batches)
    assert changes(tmp_path) == [
        ("+I", (1, "a", 5)), ("+I", (1, "a", 5)), ("+I", (2, "a", 1)),
        ("-D", (1, "a", 5)), ("-D", (2, "a", 1)), ("+I", (2, "b", 3)),
    ]  # fmt: skip
    assert folded(tmp_path / "q1").table == [(1, "a", 5), (1, "b", 3)]


def test_what_lines_do_with_a_key(spark, tmp_path: Path) -> None:
    """The row before need not be whole, and a change that comes again changes nothing."""
    batches = [
        [line("c", after=order(1, "a", 5)), line("u", None, order(1, "a", 6)), line("c", after=order(2, "a", 1))],
        [line("u", None, order(1, "b", 7)), line("d", {"id": 2}), line("d", {"id": 3})],
        [line("c", after=order(4, "b", 2))],
        [line("u", None, order(1, "b", 7)), line("c", after=order(2, "c", 9))],
    ]  # fmt: skip
    plan = reading(tmp_path, ALL, SHOPS, key=KEY)
    stream(spark, plan, tmp_path, batches)
    assert changes(tmp_path) == [
        ("+I", (1, "a", 6)), ("+I", (2, "a", 1)),
        ("-U", (1, "a", 6)), ("+U", (1, "b", 7)), ("-D", (2, "a", 1)),
        ("+I", (4, "b", 2)),
        ("+I", (2, "c", 9)),
    ]  # fmt: skip
    assert folded(tmp_path / "q1").table == [(1, "c", 9), (2, "b", 9)]
    files = [source_file(file) for file in sorted((tmp_path / "orders").iterdir())]
    batch = insert_result(spark, plan, plan.inserts[0], {"orders": files}).drop("_nrt_after", "_nrt_key")
    assert ordered(batch.collect()) == [(1, "b", 7), (2, "c", 9), (4, "b", 2)]


@pytest.mark.parametrize(
    "wrong",
    ["{", "7", line("x", after=order(1, "a", 1)), line("d", after=order(1, "a", 1)), line("c", after=7)],
)
def test_malformed_lines(spark, tmp_path: Path, wrong: str) -> None:
    good = json.dumps({"schema": {}, "payload": json.loads(line("c", after=order(1, "a", 5)))})
    inside = json.dumps({"payload": json.loads(wrong)}) if wrong != "{" else wrong
    options = ", 'debezium-json.ignore-parse-errors' = 'true', 'debezium-json.schema-include' = 'true'"
    one = stream(spark, reading(tmp_path, ALL, options=options), tmp_path, [[good, inside]])
    assert changes(tmp_path) == [("+I", (1, "a", 5))]
    assert one.driver.position.sources["orders"].rejected == 1


@pytest.mark.parametrize("key", ["", KEY])
def test_malformed_fields(spark, tmp_path: Path, key: str) -> None:
    """They are NULL, but a key that is none names no row."""
    lines = [line("c", after={"id": "x", "n": 1}), line("c", after={"id": 2, "n": "x"})]
    options = ", 'debezium-json.ignore-parse-errors' = 'true'"
    one = stream(spark, reading(tmp_path, ALL, key=key, options=options), tmp_path, [lines])
    rows = [("+I", (2, None, None))] if key else [("+I", (2, None, None)), ("+I", (None, None, 1))]
    assert sorted(changes(tmp_path), key=str) == sorted(rows, key=str)
    source = one.driver.position.sources["orders"]
    assert (source.rejected, source.null_fields) == ((1, 1) if key else (0, 2))


DROPS = "SET 'table.exec.sink.not-null-enforcer' = 'drop';"
PAIR = st.tuples(st.sampled_from([1, 2, None]), st.sampled_from(["a", "b", None]))
BATCHES = st.lists(st.lists(PAIR, min_size=1, max_size=6), min_size=2, max_size=3)


@pytest.mark.slow
@settings(max_examples=2, phases=(Phase.explicit, Phase.generate))
@given(BATCHES, st.integers(0, 2))
@example([[(1, "a"), (1, "a"), (1, "a"), (2, "b")], [(1, "a"), (2, "b")], [(2, "b"), (None, None)]], 1)
def test_a_table_comes_back_from_its_changelog(spark, batches: list[list[tuple[Any, Any]]], half: int) -> None:
    """Stream → table → changelog → table, in both forms, each time in other batches. A pair is gone while it is two."""
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        totals = "SELECT user_id, item, COUNT(*) AS n FROM events GROUP BY user_id, item HAVING COUNT(*) <> 2"
        columns = "user_id INT, item STRING, n BIGINT"
        tables = {"pairs": columns, "keyed": f"{columns}, PRIMARY KEY (user_id, item) NOT ENFORCED"}
        declared = [f"CREATE TABLE {name} ({kinds}) WITH ({CHANGES % name});" for name, kinds in tables.items()]
        inserts = [f"INSERT INTO {name} {totals};" for name in tables]
        first = plan_of(place, DROPS, events_table(), *declared, *inserts)
        came = [[Event(1, 1, user, item, None, 0.5, MORNING) for user, item in batch] for batch in batches]
        Stream(spark, first, place / "first").absorb_batches(place, came)
        copies = [
            f"CREATE TABLE {name}_back ({columns}) WITH ('connector' = 'print'); "
            f"INSERT INTO {name}_back SELECT * FROM {name};"
            for name in tables
        ]
        second = published_in_parquet(plan_of(place, *declared, *copies), place)
        back = Stream(spark, second, place / "second")
        for name in tables:
            files = sorted((place / name).glob("*.json"), key=lambda file: file.stat().st_mtime_ns)
            for part in (files[:half], files[half:]):
                back.absorb(*part, source=name)
        counts = Counter(pair for batch in batches for pair in batch)
        table = ordered((*pair, n) for pair, n in counts.items() if n != 2)
        assert folded(place / "pairs_back").table == table
        assert folded(place / "keyed_back").table == [row for row in table if None not in row]


def test_a_map_has_no_identity(tmp_path: Path) -> None:
    source = f"CREATE TABLE orders (id BIGINT, m MAP<STRING, INT>) WITH ({CHANGES % 'orders'});"
    sink = "CREATE TABLE q (a BIGINT) WITH ('connector' = 'print'); INSERT INTO q SELECT id FROM orders;"
    with pytest.raises(InputError, match=r"column 'm': a row with a MAP that changes without a key: .*PRIMARY KEY"):
        plan_of(tmp_path, source, sink)
