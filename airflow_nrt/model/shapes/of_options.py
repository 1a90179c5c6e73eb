"""The shape of each option and setting, by its name: whatever the connector is, also one of another package."""

from __future__ import annotations

import re

from airflow_nrt.model.options.harmless_spark import is_harmless
from airflow_nrt.model.options.known import SPARK_PREFIX
from airflow_nrt.model.shapes.jaas import JAAS
from airflow_nrt.model.shapes.path import PATH
from airflow_nrt.model.shapes.shape import IDENTIFIER, NAME, TEXT, Place, Shape
from airflow_nrt.model.shapes.url import URL

SERVER, CODE, PROTECTION = Place("a server"), Place("code"), Place("how a connection is protected")
SPARK = Place("code, options of Java, paths or addresses of Spark")
_EXACTLY: dict[str, Shape] = {
    "connector": Place("a connector"),
    "connection": Place("a connection"),
    "catalog-type": Place("a catalog"),
    "catalog-name": Place("a catalog"),
    "driver": CODE,
    "catalog-database": IDENTIFIER,
    "catalog-table": IDENTIFIER,
    "table-name": IDENTIFIER,
    "archive": Place("a table"),
    "username": TEXT,
    "csv.field-delimiter": TEXT,
    "csv.quote-character": TEXT,
    "csv.null-literal": TEXT,
    "partition.time-extractor.timestamp-pattern": TEXT,
    "print-identifier": TEXT,
    "scan.startup.specific-offsets": TEXT,
    "scan.bounded.specific-offsets": TEXT,
    "jdbc.user": TEXT,
    "jdbc.password": TEXT,
    "avro-confluent.basic-auth.user-info": TEXT,
}
_LAST: dict[str, Shape] = {
    **dict.fromkeys(("url", "urls", "uri", "uris"), URL),
    **dict.fromkeys(("path", "paths", "home", "warehouse", "dir", "directory", "file", "location"), PATH),
    **dict.fromkeys(
        ("host", "hosts", "hostname", "server", "servers", "brokers", "endpoint", "port", "address"), SERVER
    ),
    "pattern": IDENTIFIER,
    **dict.fromkeys(("class", "classes", "impl", "factory", "jars", "reporters", "providers", "serializer"), CODE),
    **dict.fromkeys(("password", "passwd", "pwd", "passphrase", "secret", "token"), TEXT),
}
"""By the last word of a name."""
_ZONES = ("table.local-time-zone", "spark.sql.session.timeZone")
_CLIENT = re.compile(
    r"properties\.(?:group\.id|group\.instance\.id|client\.id|client\.rack|isolation\.level|transactional\.id|acks"
    r"|compression\.type|retries|(?:[\w-]+\.)+(?:ms|bytes|records|size|count|interval|checkpoint))"
)
"""Properties of Kafka's clients that say neither where they connect nor how."""


def shape_of(option: str) -> Shape:
    """The shape of an option of a table."""
    # Also of a topic's keys and values.
    known = _EXACTLY.get(re.sub(r"^(?:key|value)\.", "", option))
    if known is not None:
        return known
    if option.endswith("sasl.jaas.config"):
        return JAAS
    last = _LAST.get(re.split(r"[.-]", option)[-1])
    if last is not None:
        return last
    if option.startswith("properties.") and _CLIENT.fullmatch(option) is None:
        return PROTECTION
    return CODE if option.startswith("jdbc.") else NAME


def shape_of_setting(name: str) -> Shape:
    """The shape of what SET gives a name."""
    if name in _ZONES:
        return TEXT
    if not name.startswith(SPARK_PREFIX):
        return NAME
    if re.search(r"[._-](?:password|secret|token|secret\.key|access\.key)$", name):
        return TEXT
    return NAME if is_harmless(name) else SPARK
