"""A report that would read what it writes is refused before anything starts; what may not be meant is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.cli.place import REPORT, furnish
from tests.cli.test_wrong_input import INTERVAL, refused

PLACES = {
    "the same": ("orders", "home", "table 'curve' writes to {}/orders, where table 'orders' reads"),
    "below": ("orders/out", "home", "the report would read its own results. Give one of them a directory of its own"),
    "through a link": ("link/out", "home", "table 'curve' writes to {0}/link/out (which is {0}/orders/out), where"),
    "above": (".", "home", "table 'orders' reads {0}/orders, inside of what table 'curve' writes"),
    "home below": ("curve", "orders/home", "its directory {0}/orders and the home {0}/orders/home must not contain"),
    "home through a link": ("curve", "link/home", "its directory {0}/orders and the home {0}/link/home must not"),
    "home above": ("curve", ".", "must not contain each other: put the home elsewhere"),
    "home and sink": ("curve", "curve/home", "table 'curve': its directory {0}/curve and the home {0}/curve/home"),
}


@pytest.mark.parametrize("what", PLACES)
@pytest.mark.parametrize("name", ["check", "run", "backfill"])
def test_places_that_contain_each_other(command: Command, tmp_path: Path, what: str, name: str) -> None:
    sink, home, message = PLACES[what]
    report = furnish(tmp_path, REPORT.replace("'path' = 'curve'", f"'path' = '{sink}'"))
    (tmp_path / "link").symlink_to(tmp_path / "orders")
    rest = INTERVAL if name == "backfill" else ()
    told = refused(command, tmp_path, name, report, "--home", tmp_path / home, *rest)
    assert message.format(tmp_path) in told


@pytest.mark.parametrize(("sink", "home"), [("orders/_out", "home"), ("curve", "orders/.home"), ("orders2", "home")])
def test_places_that_are_not_read(command: Command, tmp_path: Path, sink: str, home: str) -> None:
    report = furnish(tmp_path, REPORT.replace("'path' = 'curve'", f"'path' = '{sink}'"))
    assert command("check", report, "--home", tmp_path / home).status == 0


def test_without_a_home_the_tables_are_checked(command: Command, tmp_path: Path) -> None:
    report = furnish(tmp_path, REPORT.replace("'path' = 'curve'", "'path' = 'orders'"))
    assert "the report would read its own results" in refused(command, tmp_path, "check", report)


def test_a_source_that_is_not_there(command: Command, tmp_path: Path) -> None:
    report = furnish(tmp_path, files={})
    told = refused(command, tmp_path, "run", report, "--home", tmp_path / "home")
    assert told == f"table 'orders': there is no {tmp_path / 'orders'}: correct 'path', or make the directory\n"
    checked = command("check", report)
    assert checked.status == 0
    assert f"table 'orders': there is no {tmp_path / 'orders'}; `run` refuses that" in checked.out
    assert checked.out.splitlines()[-1].startswith(f"{report}: fine but for this host (1 source, ")


def test_a_key_that_flink_would_not_fold(command: Command, tmp_path: Path) -> None:
    keyed = REPORT.replace("id BIGINT,", "id BIGINT,\n    PRIMARY KEY (id) NOT ENFORCED,")
    keyed = "SET 'table.exec.state.ttl' = '1 h';" + keyed.replace("'format' = 'json'", "'format' = 'debezium-json'")
    checked = command("check", furnish(tmp_path, keyed))
    assert checked.status == 0, checked.err
    assert "table 'orders' has a PRIMARY KEY: of each (id) the row with the latest rowtime counts" in checked.out
    assert "for that, leave PRIMARY KEY out" in checked.out
    assert "PRIMARY KEY" not in command("check", furnish(tmp_path)).out
