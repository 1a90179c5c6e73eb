"""Kafka's own client, in the Java of the session: which partitions topics have, and which offsets these.

A partition is a text, `topic-number`, as Kafka writes it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from py4j.java_gateway import JavaPackage, is_instance_of  # type: ignore[import-untyped]
from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import IllegalArgumentException
from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.nearest import nearest
from airflow_nrt.engine.failures.servers import RefusedError, UnreachableError
from airflow_nrt.engine.java.objects import elements, java_class
from airflow_nrt.model.connectors.kafka_options import BOOTSTRAP, TOPIC, TOPIC_PATTERN, properties, topics
from airflow_nrt.model.tables import Table

PATIENCE = "10000"
"""ms: after so long a server that does not answer is not there."""
_NOISE = ("org.apache.spark.sql.kafka010.KafkaSourceProvider", "org.apache.spark.sql.avro.AvroSerializer")
"""They warn at each batch: of the consumers' group, and of NOT NULL columns."""
_NO_ID = "A" * 22
"""What a broker without ids of topics says (before Kafka 2.8)."""
_PACKAGE = "org.apache.kafka.common."


def patience(given: Mapping[str, str]) -> dict[str, str]:
    """How long a client waits for an answer, unless the table says it."""
    if "request.timeout.ms" in given:
        return {"default.api.timeout.ms": given["request.timeout.ms"]}
    return {"request.timeout.ms": PATIENCE, "default.api.timeout.ms": PATIENCE}


class Client:
    """The client for the topics of one table. Its methods raise InputError where Kafka refuses, and UnreachableError
    where it does not answer."""

    def __init__(self, spark: SparkSession, table: Table) -> None:
        jvm: Any = spark._jvm
        self._jvm = jvm
        self._gateway: Any = spark.sparkContext._gateway
        self._table = table
        given = properties(table)
        known = {**patience(given), **given}
        self._isolation = given.get("isolation.level", "read_uncommitted").upper()
        admin = java_class(jvm, "org.apache.kafka.clients.admin.Admin")
        if isinstance(admin, JavaPackage):
            raise InputError(
                f"table {table.name!r}: the jars of connector 'kafka' are not in this session of Spark: "
                "`airflow-nrt prepare kafka` fetches them before it starts"
            )
        log = java_class(jvm, "org.apache.logging.log4j.core.config.Configurator")
        error = java_class(jvm, "org.apache.logging.log4j.Level").ERROR
        for one in _NOISE:
            log.setLevel(one, error)
        with self._explained():
            self._admin: Any = admin.create(self._map(known))
        self._spec: Any = java_class(jvm, "org.apache.kafka.clients.admin.OffsetSpec")
        self._partitions: dict[str, Any] = {}
        self.topic_ids: dict[str, str] = {}
        """By topic, the id that Kafka gave it when it was made, as `partitions` has seen it last."""

    def partitions(self) -> list[str]:
        """All partitions of the table's topics, in their order."""
        names = topics(self._table) or self._matching(self._table.options[TOPIC_PATTERN])
        with self._explained():
            found = self._admin.describeTopics(self._list(names)).allTopicNames().get()
        ids = {topic: str(found.get(topic).topicId()) for topic in names}
        self.topic_ids = {topic: one for topic, one in ids.items() if one != _NO_ID}
        return [f"{topic}-{one.partition()}" for topic in names for one in elements(found.get(topic).partitions())]

    def ends(self, partitions: Iterable[str]) -> dict[str, int]:
        """The offset after the last record that can be read."""
        return self._offsets(dict.fromkeys(partitions, self._spec.latest()))

    def starts(self, partitions: Iterable[str]) -> dict[str, int]:
        """The offset of the first record that Kafka still has."""
        return self._offsets(dict.fromkeys(partitions, self._spec.earliest()))

    def at_time(self, partitions: Iterable[str], time: int) -> dict[str, int]:
        """The offset of the first record of this time (ms) or a later one; that after the last record if all are
        earlier."""
        asked = list(partitions)
        found = self._offsets(dict.fromkeys(asked, self._spec.forTimestamp(time)))
        later = [partition for partition, offset in found.items() if offset < 0]
        return {**found, **(self.ends(later) if later else {})}

    def committed(self, group: str) -> dict[str, int]:
        """The offsets that a consumer group has committed."""
        with self._explained():
            found = self._admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get()
        entries = ((one.getKey(), one.getValue()) for one in elements(found.entrySet()))
        return {str(partition): offset.offset() for partition, offset in entries if offset is not None}

    def commit(self, group: str, offsets: Mapping[str, int]) -> Any:
        """Begins to commit these offsets to a consumer group. Its `outcome` is to be asked for."""
        kind = java_class(self._jvm, "org.apache.kafka.clients.consumer.OffsetAndMetadata")
        asked = java_class(self._jvm, "java.util.HashMap")()
        for partition, offset in offsets.items():
            asked.put(self._partition(partition), kind(offset))
        with self._explained():
            return self._admin.alterConsumerGroupOffsets(group, asked).all()

    def outcome(self, begun: Any, seconds: float) -> None:
        """Waits so long for the end of what was begun. Raises as the other methods do, if it has failed."""
        until = time.monotonic() + seconds
        while not begun.isDone() and time.monotonic() < until:
            time.sleep(0.01)
        if begun.isDone():
            with self._explained():
                begun.get()

    def longest_record(self) -> int:
        """The most bytes that a topic of the table takes in a record."""
        kind = java_class(self._jvm, "org.apache.kafka.common.config.ConfigResource")
        topic = java_class(self._jvm, "org.apache.kafka.common.config.ConfigResource$Type").TOPIC
        resources = {name: kind(topic, name) for name in topics(self._table)}
        with self._explained():
            found = self._admin.describeConfigs(self._list(resources.values())).all().get()
        return min(int(found.get(one).get("max.message.bytes").value()) for one in resources.values())

    def close(self) -> None:
        self._admin.close(java_class(self._jvm, "java.time.Duration").ZERO)

    def _offsets(self, specs: Mapping[str, Any]) -> dict[str, int]:
        asked = java_class(self._jvm, "java.util.HashMap")()
        for partition, spec in specs.items():
            asked.put(self._partition(partition), spec)
        with self._explained():
            found = self._admin.listOffsets(asked, self._options).all().get()
        return {partition: found.get(self._partition(partition)).offset() for partition in specs}

    def _partition(self, name: str) -> Any:
        if name not in self._partitions:
            topic, _, number = name.rpartition("-")
            kind = java_class(self._jvm, "org.apache.kafka.common.TopicPartition")
            self._partitions[name] = kind(topic, int(number))
        return self._partitions[name]

    @cached_property
    def _options(self) -> Any:
        level = getattr(java_class(self._jvm, "org.apache.kafka.common.IsolationLevel"), self._isolation)
        return java_class(self._jvm, "org.apache.kafka.clients.admin.ListOffsetsOptions")(level)

    def _matching(self, pattern: str) -> list[str]:
        """The topics whose whole names match a regular expression of Java."""
        try:
            matches = java_class(self._jvm, "java.util.regex.Pattern").compile(pattern).asMatchPredicate()
        except IllegalArgumentException as wrong:
            why = str(wrong).partition("\n")[0]
            raise InputError(
                f"table {self._table.name!r}: '{TOPIC_PATTERN}' = {pattern!r} is no regular expression of Java: {why}"
            ) from None
        there = self._there()
        found = sorted(one for one in there if matches.test(one))
        if not found:
            raise InputError(
                f"table {self._table.name!r}: {self._table.options[BOOTSTRAP]} has no topic that matches {pattern!r}"
                f": create one, or correct '{TOPIC_PATTERN}'{nearest(pattern, there)}"
            )
        return found

    def _map(self, content: Mapping[str, str]) -> Any:
        made = java_class(self._jvm, "java.util.HashMap")()
        for name, text in content.items():
            made.put(name, text)
        return made

    def _list(self, content: Iterable[str]) -> Any:
        made = java_class(self._jvm, "java.util.ArrayList")()
        for one in content:
            made.add(one)
        return made

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except Py4JJavaError as failure:
            raise self._meaning(failure.java_exception) from None

    def _meaning(self, failure: Any) -> Exception:
        while failure.getCause() is not None:
            failure = failure.getCause()
        kind, said = failure.getClass().getName().removeprefix(_PACKAGE), str(failure.getMessage())
        servers = self._table.options[BOOTSTRAP]
        where = f"table {self._table.name!r}"
        if kind == "errors.UnknownTopicOrPartitionException":
            return InputError(f"{where}: {servers} has no topic {self._missing()}")
        if "No resolvable bootstrap urls" in said:
            return UnreachableError(f"{where}: no host of {servers} is known: start it, or correct '{BOOTSTRAP}'")
        if kind == "config.ConfigException":
            return InputError(f"{where}: {said}: correct 'properties.…'")
        if kind.startswith("errors.") and any(word in kind for word in ("Authentication", "Sasl", "Ssl")):
            return RefusedError(f"{where}: {servers} refuses the login: {said}. Correct 'properties.sasl.…'")
        if "Authorization" in kind:
            return RefusedError(f"{where}: {servers} does not allow it: {said}. Grant the user DESCRIBE and READ")
        # Of all that passes by itself: no answer, no leader yet, a broker that ends.
        if is_instance_of(self._gateway, failure, f"{_PACKAGE}errors.RetriableException"):
            return UnreachableError(
                f"{where}: Kafka does not answer at {servers}: start it, or correct '{BOOTSTRAP}' ({said})"
            )
        return InputError(f"{where}: Kafka at {servers} said {kind.rpartition('.')[2]}: {said}")

    def _there(self) -> set[str]:
        """All topics, without Kafka's own."""
        with self._explained():
            return set(elements(self._admin.listTopics().names().get()))

    def _missing(self) -> str:
        there = self._there()
        gone = next((one for one in topics(self._table) if one not in there), None)
        if gone is None:
            return "any more that it had: start the driver again, which looks for all topics"
        return f"{gone!r}: create it, or correct '{TOPIC}'{nearest(gone, there)}"
