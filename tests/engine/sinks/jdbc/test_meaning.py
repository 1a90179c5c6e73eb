"""What errors of databases mean: a row's values are no words of the database."""

from __future__ import annotations

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.failures.servers import LockedError, RefusedError, UnreachableError
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
    ],
)
def test_what_another_process_has_won(state: str, said: str) -> None:
    assert isinstance(meaning(TABLE, state, said), LostRaceError)


@pytest.mark.parametrize(
    ("state", "said", "kind"),
    [
        ("HY000", "Lock wait timeout exceeded; try restarting transaction", LockedError),
        ("55P03", "ERROR: canceling statement due to lock timeout", LockedError),
        ("57014", "ERROR: canceling statement due to statement timeout", UnreachableError),
        ("70100", "Query execution was interrupted (max_statement_time exceeded)", UnreachableError),
        ("53100", "ERROR: could not extend file: No space left on device", UnreachableError),
        ("42000", "User 'app' already has more than 'max_user_connections' active connections", UnreachableError),
        ("HY000", "The table 'curve' is full", UnreachableError),
        ("08006", "An I/O error occurred while sending to the backend.", UnreachableError),
        ("28P01", 'FATAL: password authentication failed for user "app"', RefusedError),
        ("42501", "ERROR: permission denied for table curve", RefusedError),
        ("42000", "Access denied for user 'app'@'%' to database 'app'", RefusedError),
        ("42000", "INSERT command denied to user 'app'@'localhost' for table 'curve'", RefusedError),
    ],
)
def test_what_a_driver_waits_for(state: str, said: str, kind: type[Exception]) -> None:
    found = meaning(TABLE, state, said)
    assert type(found) is kind


@pytest.mark.parametrize("value", ["to database", "is full", "read-only", "Access denied for user", "command denied"])
def test_values_of_rows_mean_nothing(value: str) -> None:
    """MySQL has no SQLSTATE of its own for a value that does not fit."""
    assert type(meaning(TABLE, "22P02", f'ERROR: invalid input syntax for type integer: "{value}"')) is InputError
    assert type(meaning(TABLE, "HY000", f"Incorrect integer value: '{value}' for column 'n' at row 1")) is InputError
