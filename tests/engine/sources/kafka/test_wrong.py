"""What is wrong with a topic or its broker: said within seconds, with the way out, before anything runs."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError, NrtError
from airflow_nrt.demo.servers.ports import free_port
from airflow_nrt.engine.sources import source_of
from tests.engine.sources.kafka.reports import report, script
from tests.servers.kafka import Broker, Topics


def said(spark, place: Path, address: str, topic: str, **options: str) -> str:
    plan = report(place, address, topic, **options)
    begun = time.monotonic()
    with pytest.raises(NrtError) as wrong:
        source_of(plan.sources[0].table).check(spark, plan.sources[0].table)
    assert time.monotonic() - begun < 12
    return str(wrong.value)


def test_nobody_listens(spark, broker: Broker, tmp_path: Path) -> None:
    port = free_port()
    told = said(spark, tmp_path, f"127.0.0.1:{port}", "orders")
    assert told.startswith(
        f"table 'orders': Kafka does not answer at 127.0.0.1:{port}: start it, or correct 'properties"
    )


def test_no_such_host(spark, broker: Broker, tmp_path: Path) -> None:
    told = said(spark, tmp_path, "nowhere.invalid:9092", "orders")
    assert told == (
        "table 'orders': no host of nowhere.invalid:9092 is known: start it, or correct 'properties.bootstrap.servers'"
    )


def test_no_such_topic(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("clicks")
    told = said(spark, tmp_path, broker.address, "click")
    assert told == (
        f"table 'orders': {broker.address} has no topic 'click': create it, or correct 'topic'; did you mean 'clicks'?"
    )


def test_a_driver_says_it_once(broker: Broker, topics: Topics, tmp_path: Path) -> None:
    """Its session asks for the topic, too, while it is set up."""
    (tmp_path / "curve.sql").write_text(script(broker.address, "nowhere"))
    line = [sys.executable, "-m", "airflow_nrt.cli.main", "run", str(tmp_path / "curve.sql"), "--available-now"]
    done = subprocess.run([*line, "--home", str(tmp_path / "home")], capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert done.stderr.count("has no topic 'nowhere'") == 1 and "Traceback" not in done.stderr


def test_a_wrong_login(spark, broker: Broker, tmp_path: Path) -> None:
    jaas = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="b";'
    options = {"properties_security_protocol": "SASL_PLAINTEXT", "properties_sasl_mechanism": "PLAIN"}
    told = said(spark, tmp_path, broker.address, "orders", **options, properties_sasl_jaas_config=jaas)
    assert f"{broker.address} refuses the login: " in told and told.endswith("Correct 'properties.sasl.…'")


STARTUP = "scan.startup"
OPTIONS = {
    "no group": (
        {"scan_startup_mode": "group-offsets"},
        f"'{STARTUP}.mode' = 'group-offsets' needs 'properties.group.id'",
    ),
    "no offsets": ({"scan_startup_mode": "specific-offsets"}, f"needs '{STARTUP}.specific-offsets'"),
    "no time": ({"scan_bounded_mode": "timestamp"}, "needs 'scan.bounded.timestamp-millis'"),
    "half an offset": (
        {"scan_startup_specific__offsets": "partition:0"},
        "'partition:0' is not of the form 'partition:0,offset:42'",
    ),
    "a key without columns": ({"key_format": "json"}, "'key.format' and 'key.fields' need each other"),
    "a column that is none": ({"key_format": "json", "key_fields": "id"}, "'key.fields': there is no column 'id'"),
    "topics twice": ({"topic__pattern": "o.*"}, "'topic' and 'topic-pattern' exclude each other: leave one out"),
    "two formats": ({"value_format": "csv"}, "'format' and 'value.format' are the same option"),
    "several columns of raw": ({"format": "raw"}, "format 'raw' is of one column, here are 3"),
    "a misspelt option": (
        {"scan_startup_modus": "x"},
        "no option 'scan.startup.modus'; did you mean 'scan.startup.mode'?",
    ),
    "no registry": ({"format": "avro-confluent"}, "format 'avro-confluent' needs the option 'avro-confluent.url'"),
    "a changelog of a registry": (
        {"format": "debezium-avro-confluent"},
        "'debezium-avro-confluent' is not there: a changelog comes as 'debezium-json', and rows of Avro as "
        "'avro-confluent'",
    ),
    "protobuf": (
        {"format": "protobuf"},
        "'protobuf' is none of 'csv', 'json', 'debezium-json', 'canal-json'",
    ),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options(tmp_path: Path, name: str) -> None:
    options, expected = OPTIONS[name]
    with pytest.raises(InputError) as wrong:
        report(tmp_path, "broker:9092", "orders", **options)
    assert expected in str(wrong.value)
