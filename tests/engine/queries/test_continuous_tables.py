"""Tables whose rows change as they come: files that hold them as they stand, and the proof of what they hold."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from airflow_nrt.engine.publish import update_tables
from airflow_nrt.engine.spark import tuning
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.log.history.sink_history import standing_at
from tests.engine.reports import MINUTE, MORNING, Event, Stream, events_table, plan_of, rows_of, write_lines

COUNTS = "SELECT n, COUNT(*) FROM (SELECT user_id, COUNT(*) AS n FROM events GROUP BY user_id) GROUP BY n"
KEY = ", PRIMARY KEY (n) NOT ENFORCED"
WITH = "WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/{}', {})"
FORMATS = {
    "json": "'format' = 'json'",
    "parquet": "'format' = 'parquet'",
    "csv": "'format' = 'csv', 'csv.null-literal' = 'NULL'",
}


def table(columns: str, query: str, options: str, name: str = "told") -> str:
    return f"CREATE TABLE {name} ({columns}) {WITH.format(name, options)};\nINSERT INTO {name} {query};\n"


def counts(options: str, key: str = KEY) -> str:
    return table(f"n BIGINT, users BIGINT{key}", COUNTS, options)


class Live:
    """A stream of one file a batch, of these users."""

    def __init__(self, spark, place: Path, *statements: str) -> None:
        self.spark, self.place, self.came = spark, place, 0
        self.plan = plan_of(place, events_table(), *statements)
        self.restart()

    def restart(self) -> None:
        self.stream = Stream(self.spark, self.plan, self.place / "home")

    def absorb(self, *users: int | None) -> None:
        events = [Event(self.came + n, 1, user, "a", None, 0.5, MORNING) for n, user in enumerate(users)]
        self.came += len(users)
        self.stream.absorb_batches(self.place, [events])

    def verdict(self):
        return verify(self.spark, self.plan, self.stream.home)


@pytest.mark.parametrize("name", FORMATS)
def test_one_file_holds_the_table(spark, tmp_path: Path, name: str) -> None:
    live = Live(spark, tmp_path, counts(FORMATS[name]))
    file = tmp_path / "told" / f"told.{name}"
    live.absorb(5, 6)
    assert list((tmp_path / "told").glob(f"*.{name}")) == [file]
    assert rows_of(tmp_path / "told", name) == [(1, 2)]
    live.restart()
    live.absorb(5)
    assert rows_of(tmp_path / "told", name) == [(1, 1), (2, 1)]
    live.absorb(6)
    assert rows_of(tmp_path / "told", name) == [(2, 2)]
    verdict = live.verdict()
    assert verdict.is_proven and verdict.inserts[0].equal == 1 and not verdict.notes
    # One row of the log's that stands, however many batches changed it.
    assert [one.published.rows for one in standing_at(live.stream.entries)] == [1]


@pytest.mark.parametrize("name", FORMATS)
def test_only_partitions_that_change_are_replaced(spark, tmp_path: Path, name: str) -> None:
    live = Live(spark, tmp_path, counts(FORMATS[name], f"{KEY}) PARTITIONED BY (n"))

    def partitions() -> dict[str, int]:
        files = {file.parent.name: file for file in (tmp_path / "told").rglob(f"*.{name}")}
        assert {file.name for file in files.values()} == {f"told.{name}"}
        return {place: file.stat().st_mtime_ns for place, file in files.items()}

    live.absorb(5, 6)
    live.absorb(5)
    before = partitions()
    assert {*before} == {"n=1", "n=2"}
    live.restart()
    live.absorb(5)
    # User 5 is in a third partition now, of the second nobody is left.
    assert partitions() == {"n=1": before["n=1"], "n=3": partitions()["n=3"]}
    assert live.stream.entries[-1].removed == (f"told/n=2/told.{name}",)
    assert live.verdict().is_proven
    live.absorb(6)
    assert {*partitions()} == {"n=2", "n=3"}
    verdict = live.verdict()
    assert verdict.is_proven and verdict.inserts[0].rows["equal"] == 2


ODD = """
CREATE TABLE lines (k STRING, n INT) WITH ('connector' = 'filesystem', 'path' = '${DATA}/lines', 'format' = 'json');
CREATE TABLE told (k STRING, at TIMESTAMP(3), n INT, times BIGINT, PRIMARY KEY (k, at, n) NOT ENFORCED)
PARTITIONED BY (k, at) WITH ('connector' = 'filesystem', 'path' = '${DATA}/told', 'format' = 'json');
INSERT INTO told SELECT k, TIMESTAMP '2024-06-18 10:00:00', n, COUNT(*) FROM lines GROUP BY k, n HAVING COUNT(*) < 3;
"""


def test_odd_names_of_partitions(spark, tmp_path: Path) -> None:
    """'' is in the directory that NULL has elsewhere."""
    texts = ("", "a", "a ", "a/b=%1:", "é")
    plan = plan_of(tmp_path, ODD)
    stream = Stream(spark, plan, tmp_path / "home")
    for batch, said in enumerate((texts, [""], ["", "a/b=%1:"], ["a/b=%1:", "é"])):
        rows = [{"k": text, "n": texts.index(text)} for text in said]
        stream.absorb(write_lines(tmp_path / "lines" / f"{batch}.json", map(json.dumps, rows)), source="lines")
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and verdict.inserts[0].rows["equal"] == 3, verdict
    assert len(list((tmp_path / "told").rglob("*.json"))) == 3


def test_a_table_can_be_empty_again(spark, tmp_path: Path) -> None:
    few = "SELECT user_id, COUNT(*) FROM events GROUP BY user_id HAVING COUNT(*) < 2"
    live = Live(spark, tmp_path, table("u INT, n BIGINT, PRIMARY KEY (u) NOT ENFORCED", few, FORMATS["json"]))
    live.absorb(5, 1)
    assert [n for _, n in rows_of(tmp_path / "told", "json")] == [1, 1]
    live.absorb(5, 1)
    assert (tmp_path / "told" / "told.json").read_text() == ""
    live.absorb(2)
    assert rows_of(tmp_path / "told", "json") == [(2, 1)]
    assert live.verdict().is_proven


def test_what_changes_nothing_writes_nothing(spark, tmp_path: Path) -> None:
    highest = "SELECT shop, MAX(user_id) FROM events GROUP BY shop"
    columns = "shop INT, u INT, PRIMARY KEY (shop) NOT ENFORCED"
    pairs = table("shop INT, u INT", highest, "'format' = 'debezium-json'", "pairs")
    shown = table("u INT", "SELECT user_id FROM events WHERE user_id > 7", FORMATS["json"], "shown")
    live = Live(spark, tmp_path, table(columns, highest, FORMATS["json"]), pairs, shown)
    live.absorb(5)
    live.absorb(3)
    assert [one.insert for one in live.stream.entries[-1].published] == []
    assert len(list((tmp_path / "pairs").glob("*.json"))) == 1
    assert not list((tmp_path / "shown").glob("*.json"))
    assert not list((tmp_path / "home" / "staged").iterdir())
    live.absorb(9)
    assert {one.insert for one in live.stream.entries[-1].published} == {"told", "pairs", "shown"}
    assert live.verdict().is_proven


def test_a_file_that_is_gone_comes_back(spark, tmp_path: Path) -> None:
    """The table is made of what the home keeps, not of what somebody may have done to its file."""
    live = Live(spark, tmp_path, counts(FORMATS["json"]))
    live.absorb(5, 6)
    file = tmp_path / "told" / "told.json"
    file.unlink()
    assert not live.verdict().is_proven
    live.restart()
    live.absorb(7, 7)
    assert rows_of(tmp_path / "told", "json") == [(1, 2), (2, 1)]
    assert live.verdict().is_proven


def test_a_table_that_is_replaced_meanwhile_is_pending(spark, tmp_path: Path) -> None:
    live = Live(spark, tmp_path, counts(FORMATS["json"]))
    live.absorb(5, 6)
    said: list[str] = []

    def go_on(text: str) -> None:
        said.append(text)
        if len(said) == 1:
            live.absorb(7, 8)

    verdict = verify(spark, live.plan, live.stream.home, say=go_on)
    assert verdict.is_proven and verdict.inserts[0].pending == 1, verdict
    assert live.verdict().inserts[0].equal == 1


AWKWARD = """
CREATE TABLE lines (k STRING, at TIMESTAMP(6), n INT)
WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/lines', 'format' = 'json');
CREATE TABLE told (k STRING, `op` TIMESTAMP(3), `last` MULTISET<INT>, PRIMARY KEY (k) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/told', 'format' = '{}');
INSERT INTO told SELECT k, MAX(at), COLLECT(n) FROM lines GROUP BY k;
"""
TEXTS = ("a", "a ", " a", "", "NULL")


@pytest.mark.parametrize("kind", ["json", "parquet", "debezium-json"])
def test_what_formats_change(spark, tmp_path: Path, kind: str) -> None:
    """Blanks, texts like NULL, times with more digits than the sink's, keys of maps that are no texts."""
    plan = plan_of(tmp_path, AWKWARD.format(kind))
    stream = Stream(spark, plan, tmp_path / "home")
    for n in range(3):
        rows = [{"k": text, "at": f"2024-06-18 10:00:0{n}.123456", "n": n} for text in TEXTS]
        stream.absorb(write_lines(tmp_path / "lines" / f"{n}.json", map(json.dumps, rows)), source="lines")
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven, verdict
    assert verdict.inserts[0].rows["equal"] == len(TEXTS)


def test_blanks_of_csv(spark, tmp_path: Path) -> None:
    query = "SELECT concat(' ', item, ' '), COUNT(*) FROM events GROUP BY concat(' ', item, ' ')"
    live = Live(spark, tmp_path, table("k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED", query, FORMATS["csv"]))
    live.absorb(1)
    live.absorb(2)
    assert (tmp_path / "told" / "told.csv").read_text() == " a ,2\n"
    assert live.verdict().is_proven


@pytest.mark.parametrize(("name", "key"), [("debezium-json", ""), ("debezium-json", KEY), ("json", KEY)])
def test_a_changed_file_is_an_error(spark, tmp_path: Path, name: str, key: str) -> None:
    live = Live(spark, tmp_path, counts(f"'format' = '{name}'", key))
    live.absorb(5, 6)
    live.absorb(5)
    live.absorb(6, 7)
    assert live.verdict().is_proven
    file = max((tmp_path / "told").glob("*.json"), key=lambda one: one.stat().st_mtime_ns)
    file.write_text(file.read_text().replace('"users":2', '"users":3'))
    verdict = live.verdict()
    assert not verdict.is_proven and verdict.inserts[0].unexplained == 1


def test_changes_that_wait(spark, tmp_path: Path) -> None:
    live = Live(spark, tmp_path, counts(f"{FORMATS['json']}, 'update-rate' = 'count(3)'"))
    live.absorb(5, 6)
    assert not (tmp_path / "told" / "told.json").exists()
    assert "changes wait for their 'update-rate'" in live.verdict().notes[0]
    live.absorb(6)
    assert rows_of(tmp_path / "told", "json") == [(1, 1), (2, 1)]
    live.absorb(5, 5, 6)
    assert rows_of(tmp_path / "told", "json") == [(3, 2)]
    assert live.verdict().is_proven


SHOPS = "SELECT shop, COUNT(*) AS n, COUNT(DISTINCT user_id) AS users FROM events GROUP BY shop"
BEST = """SELECT shop, user_id, n FROM (
SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY n DESC) AS place
FROM (SELECT shop, user_id, COUNT(*) AS n FROM events GROUP BY shop, user_id)) WHERE place <= 2"""
MET = """SELECT a.shop, a.user_id, b.n FROM (SELECT DISTINCT shop, user_id FROM events) AS a
LEFT JOIN (SELECT shop, COUNT(*) AS n FROM events WHERE user_id > 3 GROUP BY shop) AS b ON a.shop = b.shop"""
QUERIES = {
    "groups": ("shop INT, n BIGINT, users BIGINT", "shop", "shop", SHOPS),
    "best": ("shop INT, user_id INT, n BIGINT", "shop, user_id", "user_id", BEST),
    "met": ("shop INT, user_id INT, n BIGINT", "shop, user_id", "shop", MET),
}


@pytest.mark.thorough
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.thorough)])
def test_any_arrival_and_any_cuts(spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Each query into tables of json, whole and partitioned, into changes by key and into pairs: the batch's rows,
    without those that have NULL in a key."""
    monkeypatch.setattr(update_tables, "PARTS", 2)
    monkeypatch.setattr(tuning, "ROWS_OF_A_TASK", 50_000 if seed else 10)
    chance = random.Random(seed)
    statements = ["SET 'table.exec.sink.not-null-enforcer' = 'drop';"]
    for name, (columns, key, parted, query) in QUERIES.items():
        keyed = f"{columns}, PRIMARY KEY ({key}) NOT ENFORCED"
        statements += [
            table(keyed, query, FORMATS["json"], f"{name}_file"),
            table(keyed, query, "'format' = 'debezium-json'", f"{name}_keyed"),
            table(columns, query, "'format' = 'debezium-json'", f"{name}_pairs"),
            table(f"{keyed}) PARTITIONED BY ({parted}", query, FORMATS["json"], f"{name}_parts"),
        ]
    plan = plan_of(tmp_path, events_table(), *statements)
    events = [
        Event(n, chance.randint(1, 3), chance.choice((None, 1, 2, 3, 4, 5)), "a", None, 0.5, MORNING - n * MINUTE)
        for n in range(40)
    ]
    places = sorted(chance.sample(range(1, len(events)), 3))
    for first, last in zip([0, *places], [*places, len(events)]):
        stream = Stream(spark, plan, tmp_path / "home")
        stream.absorb_batches(tmp_path, [events[first:last]])
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven, verdict
    assert len(verdict.inserts) == 12 and not verdict.notes
    assert all(one.rows["equal"] > 0 for one in verdict.inserts)
