"""Rows of a hostile producer among good ones: the good ones arrive, the others are counted with their reason."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from airflow_nrt.basics.errors import DataError
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.ledger import REJECTED, records
from tests.engine.reports import (
    FEW,
    HOUR,
    MORNING,
    Stream,
    curve_insert,
    events_table,
    plan_of,
    rows_of,
    write_lines,
)

LIMIT = 4_000
"""Bytes of a line of these tables."""
TYPES = {
    "amount": "DECIMAL(10, 2)",
    "exact": "DECIMAL(38, 18)",
    "n": "BIGINT",
    "day": "DATE",
    "at": "TIMESTAMP(3)",
}
GOOD = {"amount": "12.50", "exact": "1e2", "n": "7", "day": "9999-12-31", "at": "0001-01-01 00:00:00"}

signs = st.sampled_from(["", "-"])
exponents = st.sampled_from([10_000, 999_999_999, 2**31 - 1, 2**31, 2**63, 10**30])
powers = st.builds("{}9.9{}{}{}".format, signs, st.sampled_from("eE"), signs, exponents)
digits = st.integers(1_100, 3_000).map(lambda count: "9" * count)
numbers = powers | digits
days = st.sampled_from(["10000-01-01", "-0001-01-01", "99999999999-12-31", "0001-00-01", "2024-02-30"])
controls = st.sampled_from(["\x00", "\x07", "\x1b[31m", "\x7f", "\ufeff", "\u202e", ""])
VALUES = {
    "amount": numbers | controls,
    "exact": numbers | controls,
    "n": numbers | controls,
    "day": days | controls,
    "at": days.map("{} 00:00:00".format) | controls,
}
fields = st.sampled_from(sorted(VALUES)).flatmap(lambda column: st.tuples(st.just(column), VALUES[column]))


def streamed(spark, place: Path, form: str, content: bytes, columns: str, name: str = "", **options: str) -> Stream:
    """All columns of a source, written as json."""
    named = {option.replace("__", ".").replace("_", "-"): value for option, value in options.items()}
    given = "".join(f", '{option}' = '{value}'" for option, value in named.items())
    plan = plan_of(
        place,
        f"CREATE TABLE given ({columns}) WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/given', "
        f"'format' = '{form}'{given});",
        f"CREATE TABLE told ({columns}) WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/told', "
        "'format' = 'json');",
        "INSERT INTO told SELECT * FROM given;",
    )
    file = place / "given" / (name or f"0.{form}")
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    stream = Stream(spark, plan, place / "home")
    stream.absorb(file, source="given")
    stream.end()
    return stream


def told(place: Path) -> list[dict[str, object]]:
    lines = (line for file in (place / "told").glob("*.json") for line in file.read_text("utf-8").splitlines())
    return sorted(map(json.loads, lines), key=lambda row: str(row["id"]))


def rejections(stream: Stream) -> list[dict[str, str]]:
    return [record for path in stream.home.ledger.below() for record in records(path / REJECTED)]


def tolerant(form: str, **options: str) -> dict[str, str]:
    return {f"{form}__ignore_parse_errors": "true", "source__max_line_length": f"{LIMIT} b", **options}


def amid_good_rows(spark, place: Path, form: str, lines: Sequence[str], faults: Sequence[tuple[int, str]]) -> None:
    """`faults` are the columns at fault by the number of the line; every other field is good."""
    columns = ", ".join(["id INT", *(f"`{name}` {kind}" for name, kind in TYPES.items())])
    stream = streamed(spark, place, form, "\n".join(lines).encode(), columns, **tolerant(form))
    found = told(place)
    assert sorted(int(str(row["id"])) for row in found) == list(range(len(lines)))
    assert sorted((int(str(row["id"])), name) for row in found for name in TYPES if row[name] is None) == sorted(faults)
    assert sorted((one["reason"], one["column"]) for one in rejections(stream)) == sorted(
        ("malformed field", column) for _, column in faults
    )


@settings(max_examples=1)
@given(hostile=st.lists(fields, min_size=40, max_size=50))
def test_fields_of_csv(spark, tmp_path_factory, hostile: list[tuple[str, str]]) -> None:
    rows = [{**GOOD, **change} for column, text in hostile for change in ({}, {column: text})]
    lines = [",".join((str(n), *row.values())) for n, row in enumerate(rows)]
    faults = [(2 * n + 1, column) for n, (column, _) in enumerate(hostile)]
    amid_good_rows(spark, tmp_path_factory.mktemp("rows"), "csv", lines, faults)


@settings(max_examples=1)
@given(hostile=st.lists(fields, min_size=40, max_size=50))
def test_fields_of_json(spark, tmp_path_factory, hostile: list[tuple[str, str]]) -> None:
    """Texts; an escape may be half a character."""
    rows = [{**GOOD, **change} for column, text in hostile for change in ({}, {column: text or "\ud800"})]
    lines = [json.dumps({"id": n, **row}) for n, row in enumerate(rows)]
    faults = [(2 * n + 1, column) for n, (column, _) in enumerate(hostile)]
    amid_good_rows(spark, tmp_path_factory.mktemp("rows"), "json", lines, faults)


DEEP = 10_000
NESTED = {
    "a number": '"exact": 1e-999999999',
    "a whole number": '"n": -1e2147483647',
    "in an array": '"many": [1e-999999999]',
    "in a row": '"one": {"a": "-1e2147483647"}',
    "in a map": '"named": {"x": 1e-999999999}',
    "one key twice": '"numbered": {"1": 1, "01": 2}',
    "no key": '"numbered": {"x": 1}',
    "deep": f'"many": {"[" * 900}{"]" * 900}',
}
NO_OBJECTS = {
    "deeper than is read": f'"many": {"[" * DEEP}{"]" * DEEP}',
    "objects in objects": '"one": ' + '{"a": ' * DEEP + "1" + "}" * DEEP,
    "digits": f'"n": {"9" * 100_000}',
    "bytes": '"note": "\udcff"',
}
COLUMNS = (
    "id INT, exact DECIMAL(38, 18), n BIGINT, many ARRAY<DECIMAL(38, 18)>, `one` ROW<a DECIMAL(38, 18)>, "
    "named MAP<STRING, INT>, numbered MAP<INT, INT>, note STRING"
)


def test_nested_values_of_json(spark, tmp_path: Path) -> None:
    hostile = [f'{{"id": {n}, {text}}}' for n, text in enumerate([*NESTED.values(), *NO_OBJECTS.values()])]
    large = f'{{"id": 100, "many": [{",".join(["1"] * 200_000)}], "note": "\\ud800\\u0000"}}'
    keys = f'{{"id": 101, "named": {{{",".join(f""""k{n}": 1""" for n in range(20_000))}}}, "": 1, "": 2}}'
    lines = "\n".join([*hostile, large, keys]).encode("utf-8", "surrogateescape")
    options = tolerant("json", source__max_line_length="1 mb")
    stream = streamed(spark, tmp_path, "json", lines, COLUMNS, **options)
    found = {row["id"]: row for row in told(tmp_path)}
    assert set(found) == {*range(len(NESTED)), 100, 101}
    assert (len(found[100]["many"]), len(found[101]["named"])) == (200_000, 20_000)  # type: ignore[arg-type]
    at_fault = [one["column"] for one in rejections(stream) if one["reason"] == "malformed field"]
    assert sorted(at_fault) == sorted(text.partition(":")[0].strip('"') for text in NESTED.values())
    refused = [one["why"] for one in rejections(stream) if one["reason"] == "malformed line"]
    assert len(refused) == len(NO_OBJECTS)
    assert (
        sum(why.endswith("is no JSON object, or one that is nested deeper than 1,000 levels") for why in refused) == 2
    )


CHANGES = """\
{"before": null, "after": {"id": 1, "n": "7"}, "op": "c"}
{"before": null, "after": {"id": 2, "n": 1e-999999999}, "op": "c"}
{"before": null, "after": {"id": 3, "n": "-1e2147483647"}, "op": "c"}
"""


def test_changes(spark, tmp_path: Path) -> None:
    long = json.dumps({"before": None, "after": {"id": 4, "n": "9" * 5_000}, "op": "c"})
    lines = f"{CHANGES}{long}\n"
    place = tmp_path / "changes"
    plan = plan_of(
        place,
        "CREATE TABLE given (id INT, n DECIMAL(38, 18)) WITH ('connector' = 'filesystem', 'path' = '${DATA}/given', "
        "'format' = 'debezium-json', 'debezium-json.ignore-parse-errors' = 'true', "
        f"'source.max-line-length' = '{LIMIT}');",
        "CREATE TABLE told (id INT, n DECIMAL(38, 18)) WITH ('connector' = 'filesystem', 'path' = '${DATA}/told', "
        "'format' = 'debezium-json');",
        "INSERT INTO told SELECT * FROM given;",
    )
    (place / "given").mkdir(parents=True)
    (place / "given" / "0.json").write_text(lines)
    stream = Stream(spark, plan, place / "home")
    stream.absorb(place / "given" / "0.json", source="given")
    assert sorted(one["reason"] for one in rejections(stream)) == ["malformed field"] * 2 + ["malformed line"]
    assert sum(file.read_text().count('"op":"c"') for file in (place / "told").glob("*.json")) == 3


def test_rowtimes(spark, tmp_path: Path) -> None:
    """Thousands of years in front of the others and behind them."""
    table = events_table(source__monitor_interval="1 s", csv__ignore_parse_errors="true")
    plan = plan_of(tmp_path, table, curve_insert("CUMULATE(INTERVAL '10' MINUTE, INTERVAL '1' HOUR)", FEW))
    stream = Stream(spark, plan, tmp_path / "home", clock=lambda: MORNING + HOUR)
    times = ["0001-01-01 00:00:00", "2024-06-18 00:05:00", "9999-12-31 23:59:59.999", "2024-06-18 00:50:00"]
    lines = [f"{n},1,5,a,10.00,0.5,{time}" for n, time in enumerate(times)]
    stream.absorb(write_lines(tmp_path / "events" / "0.csv", lines))
    stream.end()
    ends = [(row[1].year, row[2].minute, row[3]) for row in rows_of(tmp_path / "curve")]
    assert ends == [(1, n % 60, 1) for n in (10, 20, 30, 40, 50, 60)] + [
        (2024, n % 60, 1 if n < 60 else 2) for n in (10, 20, 30, 40, 50, 60)
    ]
    assert [one["reason"] for one in rejections(stream)] == ["rowtime in the future"]


# ---------------------------------------------------------------------------------------------------- long lines


LONG = "x" * 100_000
WRITERS = {"plain": ("", bytes), "gzip": (".gz", gzip.compress)}


@pytest.mark.parametrize("written", WRITERS)
@pytest.mark.parametrize(
    ("form", "lines"),
    [
        ("csv", f"1,a\r\n2,{LONG}\r\n\r\n3,b"),
        ("csv", f'1,a\n2,"{LONG}\n3,"b"\n4,"' + "open\n" * 2_000),
        ("json", f'{{"id": 1}}\n{{"id": 2, "note": "{LONG}"}}\n{{"id": 3}}\n'),
    ],
    ids=["csv", "quotes", "json"],
)
def test_long_lines(spark, tmp_path: Path, form: str, lines: str, written: str) -> None:
    """The record that nobody ends is one, too."""
    ending, write = WRITERS[written]
    content = write(lines.encode())
    stream = streamed(spark, tmp_path, form, content, "id INT, note STRING", f"0.{form}{ending}", **tolerant(form))
    assert [row["id"] for row in told(tmp_path)] == [1, 3]
    found = rejections(stream)
    assert len(found) == (2 if "open" in lines else 1)
    for one in found:
        assert one["reason"] == "malformed line"
        assert f"bytes, and 'source.max-line-length' allows {LIMIT}" in one["why"]
        assert len(one["line"]) < 1_100


@pytest.mark.parametrize("form", ["csv", "json"])
def test_a_long_line_stops(spark, tmp_path: Path, form: str) -> None:
    with pytest.raises(Exception) as raised:
        streamed(spark, tmp_path, form, LONG.encode(), "id INT, note STRING", source__max_line_length="1 kb")
    meaning = explained(raised.value)
    assert isinstance(meaning, DataError)
    assert f"it has {len(LONG)} bytes, and 'source.max-line-length' allows 1024" in str(meaning)
    assert f"{tmp_path}/given/0.{form}" in str(meaning) and len(str(meaning)) < 1_000


MOST = 1_000
"""Elements of a line of these tables."""
CROWDED = {
    "objects": f"[{','.join(['{}'] * MOST)}]",
    "rows": f'{{"id": 2, "rows": [{",".join(["{}"] * MOST)}]}}',
    "numbers": f'{{"id": 2, "many": [{",".join(["1"] * MOST)}]}}',
    "arrays": f'{{"id": 2, "deep": {"[" * 500}{"]" * 500}, "more": [{",".join(["[]"] * 300)}]}}',
    "fields": json.dumps({f"k{n}": 1 for n in range(MOST + 1)}),
    "no object": "," * (MOST + 1),
}
FULL = {
    "commas in a text": json.dumps({"id": 1, "note": '[{,"' * MOST}),
    "as many as may be": f'{{"id": 1, "many": [{",".join(["1"] * (MOST - 2))}]}}',
}
ROWS = "id INT, note STRING, many ARRAY<INT>, `rows` ARRAY<ROW<a INT>>"
BOUNDED = {"source__max_line_elements": str(MOST), "source__max_line_length": "1 mb"}


def beyond(stream: Stream) -> list[int]:
    """The numbers of elements that rejected lines have, as they say."""
    allows = f"it has ([0-9]+) elements, and 'source.max-line-elements' allows {MOST}"
    found = [re.fullmatch(allows, one["why"]) for one in rejections(stream)]
    return sorted(int(number[1]) for number in found if number is not None)


def test_lines_of_many_elements(spark, tmp_path: Path) -> None:
    """Each is one line that is counted, and the lines beside it are read."""
    lines = "\n".join([*CROWDED.values(), *FULL.values()])
    stream = streamed(spark, tmp_path, "json", lines.encode(), ROWS, **tolerant("json", **BOUNDED))
    assert beyond(stream) == [1001, 1001, 1002, 1103, 2000, 2002]
    assert len(rejections(stream)) == len(CROWDED)
    assert all(one["reason"] == "malformed line" and len(one["line"]) < 1_100 for one in rejections(stream))
    assert [row["id"] for row in told(tmp_path)] == [1, 1]


def test_changes_of_many_elements(spark, tmp_path: Path) -> None:
    place = tmp_path / "changes"
    kept, crowded = ({"id": n, "many": [1] * count} for n, count in ((1, MOST - 10), (2, MOST)))
    lines = [json.dumps({"before": None, "after": row, "op": "c"}) for row in (kept, crowded)]
    plan = plan_of(
        place,
        "CREATE TABLE given (id INT, many ARRAY<INT>) WITH ('connector' = 'filesystem', 'path' = '${DATA}/given', "
        "'format' = 'debezium-json', 'debezium-json.ignore-parse-errors' = 'true', "
        f"'source.max-line-elements' = '{MOST}');",
        "CREATE TABLE told (id INT) WITH ('connector' = 'filesystem', 'path' = '${DATA}/told', "
        "'format' = 'debezium-json');",
        "INSERT INTO told SELECT id FROM given;",
    )
    (place / "given").mkdir(parents=True)
    (place / "given" / "0.json").write_text("\n".join(lines))
    stream = Stream(spark, plan, place / "home")
    stream.absorb(place / "given" / "0.json", source="given")
    assert beyond(stream) == [MOST + 5]
    (change,) = (json.loads(line) for file in (place / "told").glob("*.json") for line in file.open())
    assert change["after"] == {"id": 1}


def test_a_line_of_many_elements_stops(spark, tmp_path: Path) -> None:
    with pytest.raises(Exception) as raised:
        streamed(spark, tmp_path, "json", CROWDED["rows"].encode(), ROWS, **BOUNDED)
    meaning = explained(raised.value)
    assert isinstance(meaning, DataError)
    assert f"it has 2002 elements, and 'source.max-line-elements' allows {MOST}" in str(meaning)
    assert f"{tmp_path}/given/0.json" in str(meaning) and len(str(meaning)) < 1_000


def test_parts_of_files_are_read_as_hadoop_reads_them(spark, tmp_path: Path) -> None:
    breaks = ["\n", "\r\n", "\r"]
    for n in range(3):
        text = "".join(f"{'ab' * (i % 5)}{breaks[(i + i // 3) % (n + 1)]}" for i in range(60))
        (tmp_path / f"{n}.txt").write_bytes((b"\xef\xbb\xbf" if n else b"") + text.encode() + b"end" * n)

    def lines(**options: str) -> list[tuple[str, str]]:
        rows = spark.read.options(**options).text(str(tmp_path)).selectExpr("_metadata.file_path", "value").collect()
        return sorted(map(tuple, rows))

    for size in ("7", "64", "1m"):
        spark.conf.set("spark.sql.files.maxPartitionBytes", size)
        try:
            assert lines(maxLineLength="100") == lines()
            assert lines(maxLineLength="100", lineSep="\n") == lines(lineSep="\n")
        finally:
            spark.conf.unset("spark.sql.files.maxPartitionBytes")


# ---------------------------------------------------------------------------------------------------- partitions


def partitioned(place: Path, *options: str) -> str:
    given = "".join(f", {option}" for option in options)
    return f"""
CREATE TABLE given (shop STRING, n INT) WITH (
    'connector' = 'filesystem', 'path' = '${{DATA}}/given', 'format' = 'json');
CREATE TABLE told (shop STRING, n INT) PARTITIONED BY (shop) WITH (
    'connector' = 'filesystem', 'path' = '${{DATA}}/told', 'format' = 'parquet'{given});
CREATE TABLE counts (shop STRING, n BIGINT, PRIMARY KEY (shop) NOT ENFORCED) PARTITIONED BY (shop) WITH (
    'connector' = 'filesystem', 'path' = '${{DATA}}/counts', 'format' = 'json'{given});
SET 'table.exec.state.unbounded' = 'allow';
INSERT INTO told SELECT shop, n FROM given;
INSERT INTO counts SELECT shop, COUNT(*) FROM given GROUP BY shop;
"""


NAMES = ["a", "a" * 300, "ü" * 150, "/" * 90, "n\0l", "..", "", "a=b\n\t", "%2F", "\u202e", "😀" * 62, "b" * 250]


def given_shops(place: Path, shops: Sequence[str]) -> Path:
    (place / "given").mkdir(exist_ok=True)
    file = place / "given" / "0.json"
    file.write_text("".join(json.dumps({"shop": shop, "n": 1}) + "\n" for shop in shops))
    return file


def test_partitions_that_have_no_directory_are_hashed(spark, tmp_path: Path) -> None:
    """Readers tell them apart, and results are verified."""
    plan = plan_of(tmp_path, partitioned(tmp_path, "'sink.unfit-partitions' = 'hash'"))
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(given_shops(tmp_path, NAMES), source="given")
    stream.end()
    for table in ("told", "counts"):
        names = [path.name for path in (tmp_path / table).iterdir() if path.is_dir()]
        assert len(names) == len(NAMES)
        assert sum("~" in name for name in names) == 4
        assert "shop=" + "b" * 250 in names
    assert verify(spark, plan, stream.home).is_proven


@pytest.mark.parametrize(("shop", "why"), [("a" * 300, "it takes 300 bytes"), ("n\0l", "it has a NUL")])
def test_a_partition_that_has_no_directory_stops(spark, tmp_path: Path, shop: str, why: str) -> None:
    plan = plan_of(tmp_path, partitioned(tmp_path))
    stream = Stream(spark, plan, tmp_path / "home")
    with pytest.raises(Exception) as raised:
        stream.absorb(given_shops(tmp_path, ["a", shop]), source="given")
    meaning = explained(raised.value)
    assert isinstance(meaning, DataError)
    assert why in str(meaning) and "of shop" in str(meaning) and "'sink.unfit-partitions' = 'hash'" in str(meaning)
    assert not list((tmp_path / "told").glob("shop=*"))
