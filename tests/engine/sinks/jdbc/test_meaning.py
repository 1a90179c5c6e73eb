"""What errors of databases mean: a row's values are no words of the database."""

from __future__ import annotations

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.sinks.jdbc.database import LostRaceError, meaning
from airflow_nrt.model.tables import Table

TABLE = Table("curve", (), "jdbc", options={"url": "jdbc:postgresql://db/app"})
DUPLICATE = 'ERROR: duplicate key value violates unique constraint "{}"   Detail: Key (k)=({}) already exists.'


@pytest.mark.parametrize("value", ["1", "already exists", '"nrt_owners_pkey"', "Lock wait timeout"])
def test_a_row_that_is_there_is_no_lost_race(value: str) -> None:
    found = meaning(TABLE, "23505", DUPLICATE.format("curve_pkey", value))
    assert isinstance(found, InputError) and "violates a constraint" in str(found)
    assert isinstance(meaning(TABLE, "23000", f"Duplicate entry '{value}' for key 'PRIMARY'"), InputError)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("23505", DUPLICATE.format("nrt_owners_pkey", "curve")),
        ("23505", DUPLICATE.format("pg_type_typname_nsp_index", "curve")),
        ("42P07", 'ERROR: relation "curve" already exists'),
        ("42S01", "Table 'curve' already exists"),
        ("40001", "ERROR: could not serialize access"),
        ("HY000", "Lock wait timeout exceeded; try restarting transaction"),
    ],
)
def test_what_another_process_has_won(state: str, said: str) -> None:
    assert isinstance(meaning(TABLE, state, said), LostRaceError)
