"""The page of the connector: its example runs, and it lists each option and each METADATA key."""

from __future__ import annotations

import json
import re
from pathlib import Path

from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.model.connectors.kafka import Kafka
from airflow_nrt.model.options.change_formats import CHANGE_FORMATS
from airflow_nrt.model.options.known import EVERY_SINK, EVERY_SOURCE
from airflow_nrt.sql.load import plan_script
from tests.engine.reports import HOUR, MORNING, rows_of
from tests.servers.kafka import Broker, Topics

PAGE = (Path(__file__).parents[4] / "docs/reference/connectors/kafka.md").read_text(encoding="utf-8")


def test_the_example(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    script, *_ = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
    topics.create("orders", 2)
    for n, at in enumerate(["10:01:00", "10:02:00", "10:08:00", "10:12:00", "10:30:05"]):
        row = {"shop": 1, "buyer": n % 2, "price": 1.5, "ts": f"2024-06-18 {at}"}
        topics.write("orders", [json.dumps(row)], partition=n % 2)
    topics.write("orders", [json.dumps({**row, "buyer": 7})], partition=1)
    plan = plan_script(script.replace("broker:9092", broker.address), {}, "curve", tmp_path)
    home = Home.create(tmp_path / "home", plan)
    assert Runner(spark, plan, home, available_now=True).run() == "finished"
    assert [(str(end)[11:16], buyers, float(gmv)) for _, end, buyers, gmv in rows_of(tmp_path / "curve")] == [
        ("10:10", 2, 4.5),
        ("10:20", 2, 6.0),
        ("10:30", 2, 6.0),
    ]
    assert verify(spark, plan, home).is_proven


def test_the_example_of_an_archive(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    _, script, *_ = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
    topics.create("archived_orders", 1)
    for n, at in enumerate(["10:01:00", "10:59:00", "11:01:00", "11:12:00"]):
        row = {"shop": 1, "buyer": n, "price": 1.5, "ts": f"2024-06-18 {at}"}
        topics.write("archived_orders", [json.dumps(row)])
    script = script.replace("broker:9092", broker.address).replace("'topic' = 'orders'", "'topic' = 'archived_orders'")
    plan = plan_script(script, {}, "curve", tmp_path)
    home = Home.create(tmp_path / "home", plan)
    assert Runner(spark, plan, home, available_now=True).run() == "finished"
    topics.delete("archived_orders")
    found = backfill(spark, plan, home, Interval(MORNING + 10 * HOUR, MORNING + 11 * HOUR), check=True)
    assert found.verdict is not None and found.verdict.equal == 6 and not found.verdict.unexplained
    assert [mark.parent.name for mark in (tmp_path / "archive").rglob("_SUCCESS")] == ["hh=10"]


def test_each_option_and_key_has_its_line() -> None:
    formats = ("json.", "csv.", "avro.", "raw.", *(f"{name}." for name in CHANGE_FORMATS))
    named = {name for line in PAGE.splitlines() if line.startswith("|") for name in re.findall(r"`([^`]+)`", line)}
    general = {option.name for option in (*EVERY_SOURCE, *EVERY_SINK)}
    own = {
        name.removeprefix("key.").removeprefix("value.") if "avro-confluent." in name else name
        for name in Kafka.options
        if name not in general and not name.removeprefix("key.").removeprefix("value.").startswith(formats)
    }
    assert own - named == set()
    assert {*Kafka.metadata} - named == set()
