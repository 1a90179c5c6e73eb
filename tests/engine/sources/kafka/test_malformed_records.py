"""A record that can't be read ends a report; with the option of its message the home goes on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import DataError, InputError
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.sources import source_of
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.ledger import REJECTED, records
from tests.engine.reports import rows_of
from tests.engine.sources.kafka.reports import order, report
from tests.servers.kafka import Broker, Topics


def test_a_home_goes_on(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("poisoned")
    strict = report(tmp_path, broker.address, "poisoned", json_ignore__parse__errors="false")
    lenient = report(tmp_path, broker.address, "poisoned", json_ignore__parse__errors="true")
    home = Home.create(tmp_path / "home", strict)
    topics.write("poisoned", [order(1, 1, "10:00:00")])
    Runner(spark, strict, home, available_now=True).run()
    topics.write("poisoned", ["{", order(1, 2, "10:01:00"), order(1, 4, "10:21:00")])
    with pytest.raises(DataError) as ended:
        Runner(spark, strict, home, available_now=True).run()
    assert "A record of a topic can't be corrected: set 'json.ignore-parse-errors' = 'true'" in str(ended.value)
    assert "A home goes on with that, or without this row (`airflow-nrt skip`) (poisoned-" in str(ended.value)
    Runner(spark, lenient, Home.create(home.path, lenient), available_now=True).run()
    assert [tuple(row)[1:] for row in rows_of(tmp_path / "curve", "json")] == [(2, 3)]
    (found,) = [one for path in home.ledger.below() for one in records(path / REJECTED)]
    assert (found["reason"], found["file"].partition("@")[0][:-1]) == ("malformed line", "poisoned-")
    for plan in (strict, lenient):
        assert verify(spark, plan, home).is_proven


@pytest.mark.process
def test_a_home_goes_on_without_a_record(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("skipped", partitions=1)
    strict = report(tmp_path, broker.address, "skipped", json_ignore__parse__errors="false")
    home = Home.create(tmp_path / "home", strict)
    topics.write("skipped", [order(1, 1, "10:00:00"), "{", order(1, 2, "10:01:00"), order(1, 4, "10:21:00")])
    with pytest.raises(DataError, match=r"\(skipped-0@1: \{\)$"):
        Runner(spark, strict, home, available_now=True).run()
    command = [sys.executable, "-m", "airflow_nrt.cli.main", "skip", "--home", str(home.path), "--at", "0@1"]
    said = subprocess.run([*command, "--master", "local[1]"], capture_output=True, text=True, check=True).stdout
    assert said.startswith("orders: skipped-0@1\n1 row left out\nThe next driver leaves them out")
    Runner(spark, strict, home, available_now=True).run()
    assert [tuple(row)[1:] for row in rows_of(tmp_path / "curve", "json")] == [(2, 3)]
    (found,) = [one for path in home.ledger.below() for one in records(path / REJECTED)]
    assert (found["reason"], found["file"], found["line"]) == ("skipped", "skipped-0@1", "{")
    assert verify(spark, strict, home).is_proven


WRONG = {
    "800": "'800' is no place of a record: write PARTITION@OFFSET, as 0@800",
    "7@0": "has no partition 7: its partitions are placed-0, placed-1",
    "other-0@0": "has no partition other-0: its partitions are placed-0, placed-1",
    "0@0": "placed-0 has no record 0: it is empty",
}


def test_a_place_without_a_record(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("placed", partitions=2)
    source = report(tmp_path, broker.address, "placed").source("orders")
    for place, said in WRONG.items():
        with pytest.raises(InputError, match=said):
            source_of(source.table).row_at(spark, source, place)
