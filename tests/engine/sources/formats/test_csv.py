"""Fields of CSV lines are those that Flink 2.3 reads: each line was read by it once."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tests.engine.reports import Stream, plan_of, rows_of, write_lines

READ = {
    '"a,b",c': ("a,b", "c"),
    '"a""b",c': ('a"b', "c"),
    '"a" ,c': ("a", "c"),
    ' "a",c': (' "a"', "c"),
    'a"b,c': ('a"b', "c"),
    "a,c,": ("a", "c"),
    "a,c, ": ("a", "c"),
    '"",c': ("", "c"),
    '"a"\t,c': ("a", "c"),
    'a,"c"': ("a", "c"),
    'a,"c" ': ("a", "c"),
    'a,"c"  ,': ("a", "c"),
    '"a""",c': ('a"', "c"),
    '"""a",c': ('"a', "c"),
    'a,""""': ("a", '"'),
    " a , c ": (" a ", " c "),
    '"a"\x0b,c': ("a", "c"),
    '"",""': ("", ""),
    ",": ("", ""),
    '"a"," c "': ("a", " c "),
}
REFUSED = ('"a"x,c', '"a,c', "a,c,,", 'a,"c""', 'a,"c"x')
TABLES = """
CREATE TABLE lines (a STRING, b STRING)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/lines', 'format' = 'csv', 'csv.ignore-parse-errors' = 'true');
CREATE TABLE fields (a STRING, b STRING)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/fields', 'format' = 'parquet');
INSERT INTO fields SELECT a, b FROM lines;
"""


def streamed(spark, place: Path, *lines: Iterable[str]) -> Stream:
    plan = plan_of(place, TABLES)
    stream = Stream(spark, plan, place / "home")
    for number, file in enumerate(lines):
        stream.absorb(write_lines(place / "lines" / f"{number}.csv", file), source="lines")
    stream.end()
    return stream


def test_fields_are_those_of_flink(spark, tmp_path: Path) -> None:
    # A quote that is not closed takes the next lines in, up to one that closes it.
    stream = streamed(spark, tmp_path, READ, *([line] for line in REFUSED))
    assert rows_of(tmp_path / "fields") == sorted(READ.values())
    assert stream.driver.position.sources["lines"].rejected == len(REFUSED)


def test_a_long_field_of_quotes_is_read(spark, tmp_path: Path) -> None:
    """No match recurses: it would need more stack than Java has."""
    marks = 100_000 * '"'
    streamed(spark, tmp_path, [f'"{marks}{marks}",c'])
    assert rows_of(tmp_path / "fields") == [(marks, "c")]
