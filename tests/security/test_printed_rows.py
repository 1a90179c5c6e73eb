"""Hostile values in connector `print`: each row is one line, which neither forges another nor steers a terminal."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

from airflow_nrt.cli.main import main
from tests.engine.reports import Stream, plan_of

VALUES = {
    "line breaks": "a]\n+I[9, forged\r\n\x85\u2028+I[9, forged",
    "a terminal": "\x1b[2J\x1b]0;title\x07\x9b31m\x7f",
    "nothing": "",
    "NUL": "n\0l",
    "half a character": "\ud800",
    "quotes": "it's a \\n 'b' \u202e😀",
    "long": "x" * 200_000,
}
NO_ROW = '{"id": 8, "note": \x1b[2J\x9b31m\u202e'


def printed(spark, place: Path) -> Stream:
    plan = plan_of(
        place,
        "CREATE TABLE given (id INT, note STRING) WITH ('connector' = 'filesystem', 'path' = '${DATA}/given', "
        "'format' = 'json', 'json.ignore-parse-errors' = 'true');",
        "CREATE TABLE told (id INT, note STRING) WITH ('connector' = 'print');",
        "INSERT INTO told SELECT id, note FROM given;",
    )
    (place / "given").mkdir()
    file = place / "given" / "0.json"
    rows = [json.dumps({"id": n, "note": text}) for n, text in enumerate(VALUES.values())]
    file.write_text("\n".join([*rows, NO_ROW]))
    stream = Stream(spark, plan, place / "home")
    stream.absorb(file, source="given")
    stream.end()
    return stream


def test_a_row_is_a_line(spark, tmp_path: Path, capfd) -> None:
    capfd.readouterr()
    stream = printed(spark, tmp_path)
    found = [line for line in capfd.readouterr().out.split("\n") if line.startswith("+I")]
    assert [line.partition(",")[0] for line in found] == [f"+I[{n}" for n in range(len(VALUES))]
    notes = dict(zip(VALUES, (line.partition(", ")[2].removesuffix("]") for line in found)))
    assert notes["line breaks"] == "a]␊+I[9, forged␍␊\ufffd\ufffd+I[9, forged"
    assert notes["a terminal"] == "␛[2J␛]0;title␇\ufffd31m␡"
    assert notes["NUL"] == "n␀l"
    assert {name for name in ("nothing", "quotes", "long") if notes[name] == VALUES[name]} == {
        "nothing", "quotes", "long",
    }  # fmt: skip
    assert sum(one.rows for entry in stream.entries for one in entry.published) == len(VALUES)
    assert main(["late", "--home", str(stream.home.path)]) == 0
    assert '0.json: {"id": 8, "note": ?[2J?31m?\n' in capfd.readouterr().out


def test_an_output_of_other_letters(spark, tmp_path: Path, monkeypatch) -> None:
    """A driver under an old locale: letters that it lacks end no stream."""
    output = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", output)
    printed(spark, tmp_path)
    assert "'b' \u202e😀]".encode() in output.buffer.getvalue()  # type: ignore[attr-defined]
