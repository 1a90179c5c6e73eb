"""Orders that arrive in a topic of a broker, which the demonstration starts; the stream archives them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from airflow_nrt.demo.children import Child, Verify
from airflow_nrt.demo.servers import kafka
from airflow_nrt.demo.sources.source import ArchiveVerdicts, OrdersSource
from airflow_nrt.home.home import Home

TOPIC = "orders"
PARTITIONS = 3


class KafkaSource(OrdersSource):
    """The archive of the topic is below `data/`."""

    name = "kafka"
    example = "orders_kafka_postgres"
    jars = ("kafka",)

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        self._broker = kafka.Broker(place / "kafka")

    @property
    def home(self) -> Home:
        return Home.at(self.place / self.example)

    @property
    def settings(self) -> Mapping[str, str]:
        return {"DATA": str(self.place / "data"), "BROKERS": self._broker.address}

    @property
    def environment(self) -> Mapping[str, str]:
        return {"ORDERS_HOMES": str(self.place), "ORDERS_BROKERS": self._broker.address}

    def is_fetched(self) -> bool:
        return kafka.is_fetched()

    def fetch(self, repository: str | None) -> None:
        kafka.fetch(repository)

    def start(self, mark: Mapping[str, str]) -> None:
        self._broker.environment = mark
        self._broker.start()
        self._broker.create_topic(TOPIC, PARTITIONS)

    def stop(self) -> None:
        self._broker.stop()

    @property
    def pids(self) -> Sequence[int]:
        return () if self._broker.pid is None else (self._broker.pid,)

    @contextmanager
    def arriving(self, child: Child, *day: str) -> Iterator[None]:
        records = child([sys.executable, "-m", "airflow_nrt.demo.order_lines", *day], stdout=subprocess.PIPE)
        with (self.place / "producer.log").open("w") as log:
            producer = child(self._broker.producer(TOPIC), stdin=records.stdout, stdout=log, stderr=log)
        # The producer alone reads them: if it ends, they end.
        records.stdout.close()  # type: ignore[union-attr]
        try:
            yield
        finally:
            for process in (records, producer):
                process.kill()
                process.wait()

    @contextmanager
    def archives(self, verify: Verify) -> Iterator[ArchiveVerdicts]:
        with verify("--against", "topic") as running:
            yield running.verdict
