"""The archive that another home writes, named as a table: offsets say where the topic goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.publish.claiming import claim
from airflow_nrt.engine.sources import source_of
from airflow_nrt.home.home import Home
from airflow_nrt.sql.load import plan_script
from tests.engine.archive.test_own_archive import ARCHIVE
from tests.engine.reports import rows_of
from tests.engine.sources.archive.reports import CURVE, NEW, QUERY, archived_topic, write
from tests.engine.sources.kafka.reports import script
from tests.servers.kafka import Broker, Topics

pytestmark = pytest.mark.server


def test_it_begins_as_with_the_home(spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    old = archived_topic(spark, broker, topics, "named", tmp_path / "old")
    write(topics, "named", NEW, 9)
    archive = old.plan.insert("orders_by_hour")
    claim(spark, old.home, archive)
    ddl = ARCHIVE.replace("'archive'", f"'{archive.sink.path}'")
    text = script(broker.address, "named", query=QUERY, scan_history="orders_by_hour")
    plan = plan_script(ddl + text, {}, "orders_curve", tmp_path)
    home = Home.create(tmp_path / "home", plan)
    assert Runner(spark, plan, home, available_now=True).run() == "finished"
    assert [(str(end)[11:16], n, most) for end, n, most in rows_of(tmp_path / "curve", "json")] == CURVE


def test_a_directory_that_no_home_writes(spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("unowned", 1)
    (tmp_path / "archive").mkdir()
    text = script(broker.address, "unowned", query=QUERY, scan_history="orders_by_hour")
    (source,) = plan_script(ARCHIVE + text, {}, "orders_curve", tmp_path).sources
    with pytest.raises(InputError, match=r"'scan\.history': no home writes an archive into"):
        source_of(source.table).check(spark, source.table)
