"""A broker for as long as one home is written."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from tests.servers.kafka import Broker, Topics


@contextmanager
def kafka(spark: SparkSession) -> Iterator[tuple[str, Topics]]:
    """Its address, and its topics."""
    with tempfile.TemporaryDirectory(prefix="kafka-") as directory:
        broker = Broker(Path(directory))
        broker.start()
        topics = Topics(spark, broker.address)
        try:
            yield broker.address, topics
        finally:
            topics.close()
            broker.stop()
