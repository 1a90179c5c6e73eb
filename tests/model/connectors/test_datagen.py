"""Connector datagen: what its options may be, and that the reference has them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.connectors.datagen import Datagen, generated, rows_of
from airflow_nrt.model.tables import Table
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.planner import plan_query

PAGE = (Path(__file__).parents[3] / "docs/reference/connectors/datagen.md").read_text(encoding="utf-8")


def table(columns: str, *options: str) -> Table:
    given = ", ".join(["'connector' = 'datagen'", *options])
    plan = plan_query(f"CREATE TABLE made ({columns}) WITH ({given});", "SELECT * FROM made", Path("/"))
    return plan.sources[0].table


@pytest.mark.parametrize(
    ("columns", "option", "error"),
    [
        ("id INT", "'fields.idd.min' = '1'", "there is no column 'idd'; did you mean 'id'?"),
        ("id INT", "'fields.id.mni' = '1'", "a field has no 'mni'; did you mean 'min'?"),
        ("id INT", "'fields.id.min' = 'one'", "'one' is not a number"),
        ("id INT", "'fields.id.kind' = 'sequence'", "a sequence needs 'fields.id.start' and 'fields.id.end'"),
        ("id INT", "'fields.id.min' = '5', 'fields.id.max' = '4'", "'fields.id.min' is above 'fields.id.max'"),
        ("id INT", "'fields.id.null-rate' = '2'", "'2' is no share from 0 to 1"),
        ("b BOOLEAN", "'fields.b.kind' = 'sequence'", "a sequence is of numbers or texts, here is BOOLEAN"),
        ("a ARRAY<INT>", "'number-of-rows' = '1'", "values of ARRAY<INT> from datagen: not there yet; compute it"),
        ("id INT", "'number-of-rows' = '0'", "'0' is not a whole number above 0"),
        (
            "id INT",
            "'rows-per-seconds' = '1'",
            "there is no option 'rows-per-seconds'; did you mean 'rows-per-second'?",
        ),
    ],
)
def test_what_is_wrong_is_said(columns: str, option: str, error: str) -> None:
    with pytest.raises((SqlError, InputError), match=re.escape(error)):
        table(columns, option)


def test_it_can_t_be_written_to() -> None:
    made = table("id INT")
    with pytest.raises(InputError, match="connector 'datagen' can only be read"):
        Datagen().check_sink(made)


SEQUENCE = ("'fields.id.kind' = 'sequence'", "'fields.id.start' = '11'", "'fields.id.end' = '20'")


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        ((), None),
        (("'number-of-rows' = '7'",), 7),
        (SEQUENCE, 10),
        ((*SEQUENCE, "'number-of-rows' = '7'"), 7),
        ((*SEQUENCE, "'number-of-rows' = '70'"), 10),
    ],
)
def test_it_ends_with_what_ends_first(options: tuple[str, ...], rows: int | None) -> None:
    made = table("id INT", *options)
    assert rows_of(made) == rows
    assert Datagen().is_live(made) is (rows is None)


def test_a_home_goes_on_at_another_rate() -> None:
    assert Datagen.options["rows-per-second"].decided_by("7") is None
    assert Datagen.options["number-of-rows"].decided_by("7") == "7"


def test_defaults_are_those_of_the_type() -> None:
    made = {one.column.name: one for one in generated(table("t TINYINT, d DECIMAL(4, 1), s VARCHAR(7), b BYTES"))}
    assert made["t"].bounds == (-128, 127)
    assert made["d"].bounds == (-999, 999)
    assert (made["s"].length, made["b"].length) == (7, 100)


def test_the_reference_has_every_option() -> None:
    listed = re.findall(r"`(fields\.#\.[\w-]+|[\w.-]+\*?)`", PAGE)
    assert {name for name in Datagen.options if name != "fields.*"} <= {*listed}
    fields = {name.removeprefix("fields.#.") for name in listed if name.startswith("fields.#.")}
    made = "kind", "min", "max", "max-past", "length", "var-len", "null-rate", "start", "end"
    assert fields == {*made}
    for name in made:
        with pytest.raises((SqlError, InputError), match=r"'\?' "):
            table("id INT", f"'fields.id.{name}' = '?'")
