"""A record that can't be read ends a report; with the option of its message the home goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.errors import DataError
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.ledger import REJECTED, records
from tests.engine.reports import rows_of
from tests.engine.sources.kafka.reports import order, report
from tests.servers.kafka import Broker, Topics


def test_a_home_goes_on(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("poisoned")
    strict = report(tmp_path, broker.address, "poisoned")
    lenient = report(tmp_path, broker.address, "poisoned", json_ignore__parse__errors="true")
    home = Home.create(tmp_path / "home", strict)
    topics.write("poisoned", [order(1, 1, "10:00:00")])
    Runner(spark, strict, home, available_now=True).run()
    topics.write("poisoned", ["{", order(1, 2, "10:01:00"), order(1, 4, "10:21:00")])
    with pytest.raises(DataError) as ended:
        Runner(spark, strict, home, available_now=True).run()
    assert "A record of a topic can't be corrected: set 'json.ignore-parse-errors' = 'true'" in str(ended.value)
    assert "A home goes on with that (poisoned-" in str(ended.value)
    Runner(spark, lenient, Home.create(home.path, lenient), available_now=True).run()
    assert [tuple(row)[1:] for row in rows_of(tmp_path / "curve", "json")] == [(2, 3)]
    (found,) = [one for path in home.ledger.glob(f"*/{REJECTED}") for one in records(path)]
    assert (found["reason"], found["file"].partition("@")[0][:-1]) == ("malformed line", "poisoned-")
    for plan in (strict, lenient):
        assert verify(spark, plan, home).is_proven
