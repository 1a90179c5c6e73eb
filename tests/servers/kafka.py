"""The broker of tests, and the client that they write with, in the Java of their session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airflow_nrt.basics.errors import InputError
from airflow_nrt.demo.servers import kafka
from tests.servers.installed import missing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass
class Broker(kafka.Broker):
    """The product's; a test is skipped where it can't be had."""

    def start(self) -> Any:
        try:
            return super().start()
        except InputError as wrong:
            missing(str(wrong))


class Topics:
    """Makes topics and writes records, by Kafka's own client."""

    def __init__(self, spark: SparkSession, address: str) -> None:
        jvm: Any = spark._jvm
        self._jvm = jvm
        self._address = address
        self._gateway: Any = spark.sparkContext._gateway
        clients = jvm.org.apache.kafka.clients
        self._admin: Any = clients.admin.Admin.create(self._map({"bootstrap.servers": address}))
        self._producer = self._new_producer()
        self._record = clients.producer.ProducerRecord

    def _new_producer(self) -> Any:
        bytes_of = "org.apache.kafka.common.serialization.ByteArraySerializer"
        # With more requests in flight, a batch that a new topic was not ready for is overtaken by the next one, and is
        # out of order then until its time is over.
        one_request = {"max.in.flight.requests.per.connection": "1"}
        known = {"bootstrap.servers": self._address, "key.serializer": bytes_of, "value.serializer": bytes_of}
        return self._jvm.org.apache.kafka.clients.producer.KafkaProducer(self._map({**known, **one_request}))

    def create(self, topic: str, partitions: int = 1, **settings: str) -> None:
        one = self._jvm.org.apache.kafka.clients.admin.NewTopic(topic, partitions, 1)
        settings_of = self._map({name.replace("_", "."): text for name, text in settings.items()})
        self._admin.createTopics(self._list([one.configs(settings_of)])).all().get()

    def configure(self, topic: str, **settings: str) -> None:
        clients = self._jvm.org.apache.kafka.clients.admin
        set_to = clients.AlterConfigOp.OpType.SET
        changes = [
            clients.AlterConfigOp(clients.ConfigEntry(name.replace("_", "."), text), set_to)
            for name, text in settings.items()
        ]
        wanted = self._jvm.java.util.HashMap()
        kind = self._jvm.org.apache.kafka.common.config.ConfigResource.Type.TOPIC
        wanted.put(self._jvm.org.apache.kafka.common.config.ConfigResource(kind, topic), self._list(changes))
        self._admin.incrementalAlterConfigs(wanted).all().get()

    def widen(self, topic: str, partitions: int) -> None:
        more = self._jvm.org.apache.kafka.clients.admin.NewPartitions.increaseTo(partitions)
        wanted = self._jvm.java.util.HashMap()
        wanted.put(topic, more)
        self._admin.createPartitions(wanted).all().get()

    def delete(self, topic: str) -> None:
        self._admin.deleteTopics(self._list([topic])).all().get()
        # It remembers the topic, and would write to that one when another has its name.
        self._producer.close()
        self._producer = self._new_producer()

    def remove_before(self, topic: str, partition: int, offset: int) -> None:
        """Removes records as a retention that has passed does."""
        wanted = self._jvm.java.util.HashMap()
        loader = self._jvm.java.lang.Thread.currentThread().getContextClassLoader()
        kind = loader.loadClass("org.apache.kafka.clients.admin.RecordsToDelete")
        # There are two methods of this name, of which py4j may see the other one.
        (make,) = (one for one in kind.getMethods() if one.getName() == "beforeOffset" and one.getParameterCount() == 1)
        given = self._gateway.new_array(self._jvm.java.lang.Object, 1)
        given[0] = self._jvm.java.lang.Long.valueOf(str(offset))
        wanted.put(self._jvm.org.apache.kafka.common.TopicPartition(topic, partition), make.invoke(None, given))
        self._admin.deleteRecords(wanted).all().get()

    def set_password(self, user: str, password: str) -> None:
        """Of SCRAM-SHA-256."""
        clients = self._jvm.org.apache.kafka.clients.admin
        info = clients.ScramCredentialInfo(clients.ScramMechanism.SCRAM_SHA_256, 4096)
        wanted = clients.UserScramCredentialUpsertion(user, info, password)
        self._admin.alterUserScramCredentials(self._list([wanted])).all().get()

    def commit(self, group: str, offsets: Mapping[tuple[str, int], int]) -> None:
        wanted = self._jvm.java.util.HashMap()
        for (topic, partition), offset in offsets.items():
            at = self._jvm.org.apache.kafka.clients.consumer.OffsetAndMetadata(offset)
            wanted.put(self._jvm.org.apache.kafka.common.TopicPartition(topic, partition), at)
        self._admin.alterConsumerGroupOffsets(group, wanted).all().get()

    @contextmanager
    def member(self, group: str, topic: str) -> Iterator[None]:
        """A consumer that has joined the group."""
        text = "org.apache.kafka.common.serialization.StringDeserializer"
        known = {"bootstrap.servers": self._address, "group.id": group, "key.deserializer": text}
        consumer = self._jvm.org.apache.kafka.clients.consumer.KafkaConsumer(
            self._map({**known, "value.deserializer": text, "enable.auto.commit": "false"})
        )
        try:
            consumer.subscribe(self._list([topic]))
            while not consumer.assignment().size():
                consumer.poll(self._jvm.java.time.Duration.ofMillis(100))
            yield
        finally:
            consumer.close()

    def write(
        self,
        topic: str,
        values: Iterable[str | bytes | None],
        partition: int = 0,
        time: int | None = None,
        key: str | bytes | None = None,
        headers: Sequence[tuple[str, str]] = (),
    ) -> None:
        """Writes these values as records of a partition; `time` is in ms. Raises what the broker says against one."""
        sent = []
        for value in values:
            record = self._record(topic, partition, time, _bytes(key), _bytes(value))
            for name, text in headers:
                record.headers().add(name, text.encode())
            sent.append(self._producer.send(record))
        self._producer.flush()
        for one in sent:
            one.get()

    def close(self) -> None:
        self._producer.close()
        self._admin.close()

    def _map(self, content: Mapping[str, str]) -> Any:
        made = self._jvm.java.util.HashMap()
        for name, text in content.items():
            made.put(name, text)
        return made

    def _list(self, content: Iterable[Any]) -> Any:
        made = self._jvm.java.util.ArrayList()
        for one in content:
            made.add(one)
        return made


def _bytes(text: str | bytes | None) -> bytes | None:
    return text.encode() if isinstance(text, str) else text
