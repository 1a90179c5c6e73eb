"""A broker of Kafka in a process of its own, and the client that tests write with, in the Java of their session."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyspark
from pyspark.sql import SparkSession

from airflow_nrt.engine.java.finding import find_java
from tests.servers.installed import jars_of
from tests.servers.ports import free_port

COORDINATES = ("org.apache.kafka:kafka_2.13:4.3.1", "org.slf4j:slf4j-simple:1.7.36")
_PROPERTIES = """
process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
controller.quorum.voters=1@127.0.0.1:{controller}
log.dirs={place}/data
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
log.retention.ms=-1
log.message.timestamp.after.max.ms=9223372036854775807
auto.create.topics.enable=false
"""
_JAVA = ("-Xmx384m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")


@dataclass
class Broker:
    """One broker below `place`. `properties` replace or add lines of its configuration."""

    place: Path
    properties: Mapping[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)
    controller: int = field(default_factory=free_port)
    _process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> Broker:
        self.place.mkdir(parents=True, exist_ok=True)
        file = self.place / "server.properties"
        lines = _PROPERTIES.format(port=self.port, controller=self.controller, place=self.place)
        file.write_text(lines + "".join(f"{name}={text}\n" for name, text in self.properties.items()))
        if not (self.place / "data").is_dir():
            cluster = "MkU3OEVBNTcwNTJENDM2Qg"
            self._java("kafka.tools.StorageTool", "format", "-t", cluster, "-c", str(file)).wait(60)
        self._process = self._java("kafka.Kafka", str(file))
        until = time.monotonic() + 60
        while True:
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            assert self._process.poll() is None and time.monotonic() < until, (self.place / "log").read_text()[-2000:]
            time.sleep(0.05)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(60)

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait(60)

    @property
    def classes(self) -> str:
        """The class path of Kafka, its clients and its tools."""
        scala = next((Path(pyspark.__file__).parent / "jars").glob("scala-library-*.jar"))
        return f"{jars_of('kafka', COORDINATES)}/*:{scala}"

    def has_records(self, topic: str) -> bool:
        return any(file.stat().st_size for file in (self.place / "data").glob(f"{topic}-*/*.log"))

    def _java(self, *arguments: str) -> subprocess.Popen[bytes]:
        home = find_java()
        java = str(Path(home) / "bin" / "java") if home else "java"
        with open(self.place / "log", "ab") as log:
            return subprocess.Popen([java, *_JAVA, "-cp", self.classes, *arguments], stdout=log, stderr=log)


class Topics:
    """Makes topics and writes records, by Kafka's own client."""

    def __init__(self, spark: SparkSession, address: str) -> None:
        jvm: Any = spark._jvm
        self._jvm = jvm
        self._gateway: Any = spark.sparkContext._gateway
        clients = jvm.org.apache.kafka.clients
        self._admin: Any = clients.admin.Admin.create(self._map({"bootstrap.servers": address}))
        bytes_of = "org.apache.kafka.common.serialization.ByteArraySerializer"
        known = {"bootstrap.servers": address, "key.serializer": bytes_of, "value.serializer": bytes_of}
        self._producer: Any = clients.producer.KafkaProducer(self._map(known))
        self._record = clients.producer.ProducerRecord

    def create(self, topic: str, partitions: int = 1, **settings: str) -> None:
        one = self._jvm.org.apache.kafka.clients.admin.NewTopic(topic, partitions, 1)
        settings_of = self._map({name.replace("_", "."): text for name, text in settings.items()})
        self._admin.createTopics(self._list([one.configs(settings_of)])).all().get()

    def widen(self, topic: str, partitions: int) -> None:
        more = self._jvm.org.apache.kafka.clients.admin.NewPartitions.increaseTo(partitions)
        wanted = self._jvm.java.util.HashMap()
        wanted.put(topic, more)
        self._admin.createPartitions(wanted).all().get()

    def delete(self, topic: str) -> None:
        self._admin.deleteTopics(self._list([topic])).all().get()

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

    def commit(self, group: str, offsets: Mapping[tuple[str, int], int]) -> None:
        wanted = self._jvm.java.util.HashMap()
        for (topic, partition), offset in offsets.items():
            at = self._jvm.org.apache.kafka.clients.consumer.OffsetAndMetadata(offset)
            wanted.put(self._jvm.org.apache.kafka.common.TopicPartition(topic, partition), at)
        self._admin.alterConsumerGroupOffsets(group, wanted).all().get()

    def write(
        self,
        topic: str,
        values: Iterable[str | bytes | None],
        partition: int = 0,
        time: int | None = None,
        key: str | bytes | None = None,
        headers: Sequence[tuple[str, str]] = (),
    ) -> None:
        """Writes these values as records of a partition; `time` is in ms."""
        for value in values:
            record = self._record(topic, partition, time, _bytes(key), _bytes(value))
            for name, text in headers:
                record.headers().add(name, text.encode())
            self._producer.send(record)
        self._producer.flush()

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
