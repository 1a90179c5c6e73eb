"""`check` names all that is wrong with a report at once, one line each, as compilers do; and nothing that follows.

Covers airflow_nrt/usecases.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.cli.place import REPORT, furnish
from tests.cli.test_wrong_input import REPORTS, tree

TABLE = "CREATE TABLE {} (id BIGINT, shop STRING, price DECIMAL(10, 2), ts TIMESTAMP(3), WATERMARK FOR ts AS ts) {};\n"
FILES = "WITH ('connector' = 'filesystem', 'path' = '{}', 'format' = 'csv')"
ORDERS = TABLE.format("orders", FILES.format("orders"))
TOLD = f"CREATE TABLE told (shop STRING, n BIGINT) {FILES.format('told')};\n"
HOURS = "TABLE(TUMBLE(TABLE {}, DESCRIPTOR(ts), INTERVAL '1' HOUR))"


def problems(command: Command, place: Path, script: str, *options: str) -> list[str]:
    """What is wrong with a script: its place, and how the message begins."""
    report = place / "report.sql"
    report.write_text(script)
    before = tree(place)
    answer = command("check", report, *options)
    assert (answer.status, answer.out, tree(place)) == (2, "", before)
    return [line.removeprefix(f"{report}:") for line in answer.err.splitlines()]


@pytest.mark.parametrize("what", REPORTS)
def test_one_line(command: Command, tmp_path: Path, what: str) -> None:
    old, new, message = REPORTS[what]
    furnish(tmp_path)
    (told,) = problems(command, tmp_path, REPORT.replace(old, new))
    line, column, rest = told.split(":", 2)
    assert int(line) > 0 and int(column) > 0 and message in rest


def test_all_stages_at_once(command: Command, tmp_path: Path) -> None:
    """A setting, an option, a syntax error, names in three inserts."""
    script = (
        "SET 'pipeline.nme' = 'x';\n"
        + TABLE.format("orders", FILES.format("orders").replace("path", "pth"))
        + TOLD
        + "CREATE VIEW v AS SELEC shop FROM orders;\n"
        "INSERT INTO told SELECT shp, COUNT(idd) FROM orders GROUP BY shop;\n"
        "INSERT INTO tld SELECT shop, prise FROM orders;\n"
        "INSERT INTO told SELECT shop, 1 FROM v;\n"
    )
    assert problems(command, tmp_path, script) == [
        "1:1: there is no setting 'pipeline.nme'; did you mean 'pipeline.name'?",
        "2:143: table 'orders': there is no option 'pth'; did you mean 'path'?",
        "4:18: expected SELECT, found 'SELEC'",
        "5:25: there is no column 'shp'; did you mean 'shop'?",
        "5:36: there is no column 'idd'; did you mean 'id'?",
        "6:1: there is no table 'tld' to insert into; did you mean 'told'?",
        "6:30: there is no column 'prise'; did you mean 'price'?",
    ]


PARTS = {
    "two items": ("SELECT shp, idd FROM orders", ["1:25: ", "1:30: "]),
    "both sides of an operator": ("SELECT shop, idd + prise FROM orders", ["1:31: ", "1:37: "]),
    "arguments": ("SELECT CONCAT(shp, 'x', shpo), 1 FROM orders", ["1:32: ", "1:42: "]),
    "parts of a condition": ("SELECT shop, id FROM orders WHERE shp = 'a' AND idd = 1", ["1:52: ", "1:66: "]),
    "an item and WHERE": ("SELECT shop, idd FROM orders WHERE prise > 1", ["1:31: ", "1:53: "]),
    "keys, items and HAVING": (
        "SELECT shop, SUM(idd) FROM orders GROUP BY shp, prise HAVING MAX(tss) > ts",
        ["1:35: ", "1:61: ", "1:66: ", "1:83: "],
    ),
    "a window and what is above": (
        f"SELECT shp, COUNT(*) FROM {HOURS.format('orders').replace('1', '0')} GROUP BY shop, window_end",
        ["1:25: ", "1:50: TUMBLE table function based aggregate requires size to be positive"],
    ),
    "ON and what is above": ("SELECT a.shop, b.idd FROM orders a JOIN orders b ON a.id = b.idx", ["1:33: ", "1:77: "]),
    "both sides of a join": ("SELECT 1 FROM orderss a JOIN curves b ON a.id = b.id", ["1:32: ", "1:47: "]),
    "both sides of a union": (
        "SELECT shp, id FROM orders UNION ALL SELECT shop, idd FROM orders",
        ["1:25: ", "1:68: "],
    ),
    "queries inside": ("SELECT x, y FROM (SELECT shp AS x, idd AS y FROM orders)", ["1:43: ", "1:53: "]),
}


@pytest.mark.parametrize("what", PARTS)
def test_all_parts_of_a_query(command: Command, tmp_path: Path, what: str) -> None:
    query, places = PARTS[what]
    found = problems(command, tmp_path, f"{ORDERS}{TOLD}INSERT INTO told {query};\n")
    assert len(found) == len(places), found
    for told, place in zip(found, places):
        assert told.startswith(place.replace("1:", "3:", 1))


DECLARED = {
    "columns, watermark and options": (
        "CREATE TABLE x (id BIGINT, a AS idd, b AS id / shp, WATERMARK FOR c AS c) "
        "WITH ('connector' = 'filesystem', 'pth' = 'x', 'format' = 'cvs');\n",
        ["1:33: ", "1:48: ", "1:109: ", "1:122: "],
    ),
    "keys": (
        f"CREATE TABLE x (id BIGINT, PRIMARY KEY (k) NOT ENFORCED) PARTITIONED BY (p) {FILES.format('x')};\n",
        ["1:1: table 'x' has no column 'p'", "1:1: table 'x' has no column 'k'"],
    ),
    "another connector": (
        "CREATE TABLE x (id BIGINT) WITH ('connector' = 'pulsar', 'topics' = 'x');\n"
        f"CREATE TABLE y (id BIGINT) {FILES.format('y')};\nINSERT INTO y SELECT idd FROM x;\n",
        ["1:1: table 'x': there is no connector 'pulsar'", "3:22: there is no column 'idd'"],
    ),
    "what a broken table would bring about": (
        f"CREATE TABLE x (id BIGNT) {FILES.format('x')};\nCREATE TABLE y LIKE x;\nCREATE VIEW z AS SELECT * FROM y;\n"
        f"{ORDERS}INSERT INTO y SELECT idd FROM orders;\nINSERT INTO x SELECT id FROM z;\n",
        ["1:20: there is no type BIGNT", "5:22: there is no column 'idd'"],
    ),
    "the same table twice": (
        f"{ORDERS}{ORDERS}{TOLD}INSERT INTO told SELECT shp, id FROM orders;\n",
        ["2:1: 'orders' exists already", "4:25: there is no column 'shp'"],
    ),
}


@pytest.mark.parametrize("what", DECLARED)
def test_declarations(command: Command, tmp_path: Path, what: str) -> None:
    script, places = DECLARED[what]
    found = problems(command, tmp_path, script)
    told = [one for one in found if "at least one INSERT" not in one]
    assert len(told) == len(places), found
    for one, place in zip(told, places):
        assert one.startswith(place)


def test_a_query_without_an_end_beside_other_problems(command: Command, tmp_path: Path) -> None:
    live = FILES.format("orders").replace("'csv'", "'csv', 'source.monitor-interval' = '1 s'")
    keyed = TOLD.replace("n BIGINT", "n BIGINT, PRIMARY KEY (shop) NOT ENFORCED")
    script = (
        f"{TABLE.format('orders', live)}{keyed}INSERT INTO told SELECT shop, COUNT(*) FROM orders GROUP BY shop;\n"
        "INSERT INTO told SELECT shp, id FROM orders;\n"
    )
    found = problems(command, tmp_path, script)
    assert "keeps every key for ever" in found[0] and found[-1].startswith("4:25: there is no column 'shp'")


def test_as_json(command: Command, tmp_path: Path) -> None:
    report = furnish(tmp_path, REPORT.replace("SUM(price)", "SUM(prize)"))
    answer = command("check", report, "--json")
    said = json.loads(answer.out)
    assert (answer.status, answer.err, said["report"], said["lines"]) == (2, "", str(report), [])
    assert "there is no column 'prize'" in said["problems"][0]


def test_a_setting_beside_the_script(command: Command, tmp_path: Path) -> None:
    furnish(tmp_path)
    told = problems(command, tmp_path, REPORT.replace("SUM(price)", "SUM(prize)"), "--set", "pipeline.nme=x")
    assert told[0].endswith("there is no column 'prize'; did you mean 'price'?")
    assert told[1] == "--set: there is no setting 'pipeline.nme'; did you mean 'pipeline.name'?"


PROGRAM = f'''\
from airflow_nrt.table import col


def report(env):
    env.execute_sql("""
        CREATE TABLE orders (id BIGINT, shop STRING)
        {FILES.format("orders")}""")
    env.execute_sql("""{TOLD.strip()}""")
    env.from_path("orders").select(
        col("shp"),
        col("id"),
    ).execute_insert("told")
'''


@pytest.mark.parametrize(
    ("name", "old", "new", "place"),
    [
        ("names", "", "", "10:1: there is no column 'shp'"),
        ("lines", "shop STRING)\n", "shop STRNG)\n", "6:46: there is no type STRNG"),
        ("one_line", "told (shop STRING", "told (shop STRNG", "8:48: there is no type STRNG"),
    ],
)
def test_a_program(command: Command, tmp_path: Path, name: str, old: str, new: str, place: str) -> None:
    file = tmp_path / f"checked_{name}.py"
    file.write_text(PROGRAM.replace(old, new) if old else PROGRAM)
    answer = command("check", f"{tmp_path}/{file.stem}:report")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"{file}:{place}")
