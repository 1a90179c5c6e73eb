"""A living home gets a table of rejected rows in a database: each row from then on, once."""

from __future__ import annotations

from pathlib import Path

from tests.engine.sinks.rejected_tables import run_and_verify
from tests.servers.fixtures import Server


def test_rejected_rows(spark, server: Server, tmp_path: Path) -> None:
    table = f"'connector' = 'jdbc', 'url' = '{server.url}', 'table-name' = 'rejected_rows'"
    run_and_verify(spark, tmp_path, f"{table}, 'username' = 'app', 'password' = 'secret'")
    found = server.query("SELECT line, reason FROM rejected_rows WHERE rejected_at IS NOT NULL ORDER BY line")
    assert found == [["b", "malformed line"], ["c", "malformed line"]]
