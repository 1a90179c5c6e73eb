"""Dimension tables in databases, which change while a report runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.dimensions.newest import check_dimension
from airflow_nrt.engine.failures.servers import UnreachableError
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.model.plan import Plan
from tests.engine.dimensions.reports import ENRICHED, PLACED, REGIONS, report, write_orders
from tests.engine.reports import MINUTE, MORNING, Stream, options, rows_of
from tests.servers.fixtures import Server
from tests.servers.postgresql import PostgreSql


def planned(
    place: Path, url: str, table: str, *inserts: str, columns: str = "id INT, region STRING", **more: str
) -> Plan:
    given = {"connector": "jdbc", "url": url, "table_name": table, "username": "app", "password": "secret", **more}
    return report(place, *inserts, shops=f"CREATE TABLE shops ({columns}) WITH ({options(**given)});")


def filled(server: Server, table: str) -> Server:
    server.query(f"CREATE TABLE {table} (id INT, region VARCHAR(20), opened DATE)")
    server.query(
        f"INSERT INTO {table} VALUES (1, 'north', '2024-01-31'), (2, NULL, '2024-02-29'), (NULL, 'none', NULL)"
    )
    return server


def test_rows_are_joined_with_the_version_of_their_batch(spark, server: Server, tmp_path: Path) -> None:
    """The stream looks once a minute, unless the table says how often."""
    filled(server, "shops")
    now = [MORNING]
    plan = planned(tmp_path, server.url, "shops", ENRICHED, PLACED, REGIONS)
    stream = Stream(spark, plan, tmp_path / "home", clock=lambda: now[0])
    for n, change in enumerate(
        ("", "UPDATE shops SET region = 'east' WHERE id = 1", "DELETE FROM shops WHERE id = 1"), 1
    ):
        if change:
            server.query(change)
        stream.absorb(write_orders(tmp_path, str(n), (n, 1, 10, n), (10 * n, 2, 1, n)), source="orders")
        now[0] += MINUTE // 2
    stream.end()
    assert rows_of(tmp_path / "enriched") == [
        (1, "north"), (2, "north"), (3, None), (10, None), (20, None), (30, None),
    ]  # fmt: skip
    versions = [entry.dimensions["shops"] for entry in stream.entries if entry.dimensions]
    assert versions[0] == versions[1] != versions[2]
    server.query("DROP TABLE shops")
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and verdict.equal == 2, verdict


def test_each_type(spark, server: Server, tmp_path: Path) -> None:
    filled(server, "typed")
    insert = ENRICHED.replace("region STRING", "opened DATE").replace("s.region", "s.opened")
    plan = planned(tmp_path, server.url, "typed", insert, columns="id INT, opened DATE", lookup__cache="NONE")
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(write_orders(tmp_path, "1", (1, 1, 10, 0), (2, 2, 10, 0), (3, "NULL", 10, 0)), source="orders")
    assert [(n, str(day)[:10]) for n, day in rows_of(tmp_path / "enriched")] == [
        (1, "2024-01-31"), (2, "2024-02-29"), (3, "None"),
    ]  # fmt: skip
    assert verify(spark, plan, stream.home).is_proven
    server.query("DROP TABLE typed")


def test_a_database_that_goes_away_and_comes_back(spark, tmp_path_factory, postgresql, tmp_path: Path) -> None:
    own = PostgreSql(tmp_path_factory.mktemp("away")).start()
    filled(own, "shops")
    stream = Stream(spark, planned(tmp_path, own.url, "shops", ENRICHED, lookup__cache="NONE"), tmp_path / "home")
    own.stop("immediate")
    path = write_orders(tmp_path, "1", (1, 1, 10, 0))
    with pytest.raises(UnreachableError, match="table 'shops': no database answers at"):
        stream.absorb(path, source="orders")
    own.start()
    stream.absorb(path, source="orders")
    own.stop("immediate")
    assert rows_of(tmp_path / "enriched") == [(1, "north")]


def test_what_is_wrong_at_the_start(spark, server: Server, tmp_path: Path) -> None:
    filled(server, "wrong")

    def said(table: str, columns: str = "id INT, region STRING") -> str:
        (lookup,) = planned(tmp_path, server.url, table, ENRICHED, columns=columns).lookups
        with pytest.raises(InputError) as wrong:
            check_dimension(spark, lookup)
        return str(wrong.value)

    assert said("wrongs").startswith("table 'shops': the database has no table wrongs: create it, or correct")
    assert said("wrong", "id INT, region STRING, openend DATE") == (
        "table 'shops': wrong has no column 'openend'; did you mean 'opened'?"
    )
    server.query("DROP TABLE wrong")
