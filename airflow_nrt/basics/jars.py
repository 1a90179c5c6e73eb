"""Jars of connectors: what they need beside Spark, and where `airflow-nrt prepare` keeps it. The one list of versions.

The versions fit Spark 4.1. Each jar is named with its content, so that no repository can change it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from airflow_nrt.basics.errors import InputError

_FILES, _PACKAGES = "spark.jars", "spark.jars.packages"


@dataclass(frozen=True)
class Jar:
    """A jar by its Maven coordinate, `group:artifact:version`, and the SHA-256 of its content."""

    coordinate: str
    sha256: str

    @property
    def artifact(self) -> str:
        return self.coordinate.split(":")[1]

    @property
    def path(self) -> Path:
        """Where it is in this environment, if it was fetched."""
        return directory() / f"{self.artifact}-{self.coordinate.rpartition(':')[2]}.jar"


JARS = {
    "kafka": (
        Jar(
            "org.apache.spark:spark-sql-kafka-0-10_2.13:4.1.3",
            "cb31ffd9c8f5527dba061db8af671d295562092e4f3f5ff42fc249fab8a8fde6",
        ),
        # Newer versions are the same, and some repositories lack them.
        Jar(
            "org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.0.0",
            "f2be3b76f9e6cbe63379d4e4e0dc14f59dbf056ae2ad16ff15ac108004c86767",
        ),
        Jar("org.apache.kafka:kafka-clients:3.9.1", "7568b998572d256f0b7bc0afdc1b7a2588b8b08415c62ce314c864a6851ae9d9"),
        Jar(
            "org.apache.commons:commons-pool2:2.13.1",
            "f77a5060d6936a9144023584232f9de3f2248f1abfe156e9d31795f18770674f",
        ),
    ),
    "avro": (
        # Not every repository has 4.1.3. All of 4.1 have the same interfaces.
        Jar(
            "org.apache.spark:spark-avro_2.13:4.1.1",
            "6a19d90bc3b6e88d8db0fa36a19273aa10fea2dbd7a62bb60e4cedd73051b32d",
        ),
    ),
    "postgresql": (
        Jar("org.postgresql:postgresql:42.7.8", "2a32a9dcbc42d67a50ad3a0de5efd102c8d2be46720045f2cbd6689f160ab7c7"),
    ),
    "delta": (
        Jar(
            "io.delta:delta-spark_4.1_2.13:4.4.0",
            "75a9400986853c061f5109f012547de2545a5759e5e752e5ef633dabe16a4f10",
        ),
        Jar("io.delta:delta-storage:4.4.0", "c46735481fa8e326b0957be02b4420cbcab4b325bb08009b7f2045a95133f1cc"),
    ),
    "iceberg": (
        Jar(
            "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0",
            "3123c3798af642dd537230923548e013ef41cc28b6626e5225808cf5670a0f82",
        ),
    ),
    "mariadb": (
        Jar(
            "org.mariadb.jdbc:mariadb-java-client:3.5.6",
            "a129703efd7b0f334564d46753de999f09b3a361489a2eb647e6020390981cc9",
        ),
    ),
}
"""What connectors need, by the name that `airflow-nrt prepare` takes. The first jar of each has its entry point."""


def directory() -> Path:
    return Path(sys.prefix) / "share" / "airflow-nrt" / "jars"


def with_jars(settings: Mapping[str, str], names: Iterable[str], packages: str = "") -> dict[str, str]:
    """Settings of Spark with the jars of these names, unless the settings or `packages` name other ones.

    Raises InputError if some are not here.
    """
    own = " ".join((settings.get(_FILES, ""), settings.get(_PACKAGES, ""), packages))
    files = [settings[_FILES]] if settings.get(_FILES) else []
    for name in names:
        if JARS[name][0].artifact not in own:
            files += _files_of(name)
    return {**settings, _FILES: ",".join(files)} if files else dict(settings)


def _files_of(name: str) -> list[str]:
    files = fetched(name)
    if not files:
        raise InputError(
            f"the jars of {name} are not part of Spark, and not in {directory()}: `airflow-nrt prepare {name}` fetches "
            f"them, or name your own in '{_FILES}'"
        )
    return [str(file) for file in files]


def fetched(name: str) -> list[Path]:
    """The files of all jars of this name; empty if some are missing."""
    files = [jar.path for jar in JARS[name]]
    return files if all(file.is_file() for file in files) else []
