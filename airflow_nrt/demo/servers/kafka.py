"""A broker of Kafka in a process of its own. Its jars are fetched once into this environment."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from pathlib import Path

import pyspark

from airflow_nrt.basics.errors import InputError, NrtError
from airflow_nrt.demo.servers.ports import free_port
from airflow_nrt.engine.java.finding import find_java

_VERSION = "4.3.1"
_LOGGING = "org.slf4j:slf4j-simple:1.7.36"
_JARS = {
    "kafka": (f"org.apache.kafka:kafka_2.13:{_VERSION}", _LOGGING),
    "kafka-tools": (f"org.apache.kafka:kafka-tools:{_VERSION}", _LOGGING),
}
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
_CLUSTER = "MkU3OEVBNTcwNTJENDM2Qg"
_JAVA = ("-Xmx384m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
_PATIENCE = 60.0
_PLACE = Path(sys.prefix) / "share" / "airflow-nrt" / "servers"


def is_fetched() -> bool:
    """Whether the jars of the broker and of its tools are here."""
    return all(map(has_jars, _JARS))


def fetch(repository: str | None = None) -> None:
    """Fetches what is missing of the broker and its tools. Raises InputError if it can't be had."""
    for name, coordinates in _JARS.items():
        jars_of(name, coordinates, repository)


def _classes(jars: str) -> str:
    # Kafka's own Scala is left out by the resolver, because Spark has it.
    scala = next((Path(pyspark.__file__).parent / "jars").glob("scala-library-*.jar"))
    return f"{jars_of(jars, _JARS[jars])}/*:{scala}"


@dataclass
class Broker:
    """One broker below `place`. `properties` are more lines of its configuration, `environment` more variables."""

    place: Path
    properties: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)
    controller: int = field(default_factory=free_port)
    _process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def classes(self) -> str:
        """The class path of the broker, which has Kafka's client. Raises InputError if it can't be had."""
        return _classes("kafka")

    @property
    def pid(self) -> int | None:
        """The broker's process, if it was started."""
        return self._process.pid if self._process is not None else None

    def start(self) -> Broker:
        """Returns when it listens. Raises InputError if its jars can't be had, NrtError if it does not start."""
        self.place.mkdir(parents=True, exist_ok=True)
        file = self.place / "server.properties"
        lines = _PROPERTIES.format(port=self.port, controller=self.controller, place=self.place)
        file.write_text(lines + "".join(f"{name}={text}\n" for name, text in self.properties.items()))
        if not (self.place / "data").is_dir():
            self._run("kafka", "kafka.tools.StorageTool", "format", "-t", _CLUSTER, "-c", str(file))
        with self._log() as log:
            command = self._command("kafka", "kafka.Kafka", str(file))
            # Ctrl-C in the terminal does not reach it: whoever started it stops it.
            self._process = subprocess.Popen(
                command, stdout=log, stderr=log, env={**os.environ, **self.environment}, start_new_session=True
            )
        until = time.monotonic() + _PATIENCE
        while True:
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            if self._process.poll() is not None or time.monotonic() > until:
                raise NrtError(f"the broker of Kafka does not start:\n{self._said()}")
            time.sleep(0.05)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(_PATIENCE)

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait(_PATIENCE)

    def create_topic(self, topic: str, partitions: int) -> None:
        """Raises NrtError if it can't be made."""
        wanted = ("--create", "--topic", topic, "--partitions", str(partitions), "--replication-factor", "1")
        tool = "org.apache.kafka.tools.TopicCommand"
        self._run("kafka-tools", tool, "--bootstrap-server", self.address, *wanted)

    def producer(self, topic: str) -> list[str]:
        """The command that makes a record of each line of its input: key, tab, value."""
        where = ("--bootstrap-server", self.address, "--topic", topic)
        # By default it waits a second for more records. With one request in flight a batch that the broker did not
        # take at first is not overtaken by the next one, after which it would be out of order for two minutes.
        properties = ("linger.ms=100", "max.in.flight.requests.per.connection=1")
        how = ("--reader-property", "parse.key=true", *chain(*(("--command-property", one) for one in properties)))
        return self._command("kafka-tools", "org.apache.kafka.tools.ConsoleProducer", *where, *how)

    def has_records(self, topic: str) -> bool:
        return any(file.stat().st_size for file in (self.place / "data").glob(f"{topic}-*/*.log"))

    def _run(self, jars: str, *arguments: str) -> None:
        with self._log() as log:
            command = self._command(jars, *arguments)
            environment = {**os.environ, **self.environment}
            done = subprocess.run(command, stdout=log, stderr=log, env=environment, check=False, timeout=_PATIENCE)
        if done.returncode:
            raise NrtError(f"{arguments[0]} of Kafka ended with {done.returncode}:\n{self._said()}")

    def _command(self, jars: str, *arguments: str) -> list[str]:
        home = find_java()
        java = str(Path(home) / "bin" / "java") if home else "java"
        return [java, *_JAVA, "-cp", _classes(jars), *arguments]

    @contextmanager
    def _log(self) -> Iterator[int]:
        with open(self.place / "log", "ab") as log:
            yield log.fileno()

    def _said(self) -> str:
        return (self.place / "log").read_text(errors="replace")[-2000:]


def has_jars(name: str) -> bool:
    return (_PLACE / name).is_dir()


def jars_of(name: str, coordinates: Sequence[str], repository: str | None = None) -> Path:
    """The directory with these jars and all that they need; they are fetched if it is not there.

    `repository` is asked before Maven Central. Raises InputError if they can't be had, or are not what was published.
    """
    from airflow_nrt.engine.java.fetch_jars import resolve
    from airflow_nrt.engine.java.finding import ensure_java

    place = _PLACE / name
    _PLACE.mkdir(parents=True, exist_ok=True)
    with open(_PLACE / f"{name}.lock", "w") as lock:
        # One process fetches, the others wait for it.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.is_dir():
            ensure_java()
            with tempfile.TemporaryDirectory() as aside:
                try:
                    found = resolve(coordinates, Path(aside), repository, transitive=True)
                except InputError as wrong:
                    raise InputError(f"{name} is not on this machine: {wrong}") from None
                check_jars(found)
                part = _PLACE / f"{name}.part"
                shutil.rmtree(part, ignore_errors=True)
                part.mkdir()
                for file in found:
                    shutil.copy(file, part)
                os.replace(part, place)
    _check_once(place)
    return place


@cache
def _check_once(place: Path) -> None:
    """Whoever fetched them: an earlier version checked none."""
    check_jars(sorted(place.glob("*.jar")))


def check_jars(files: Iterable[Path]) -> None:
    """Raises InputError for a jar that is not one of the broker's, or has another content than was published."""
    lines = Path(__file__).with_name("kafka_jars.sha256").read_text().splitlines()
    known = {name: content for content, name in map(str.split, lines)}
    for file in files:
        if known.get(file.name) != hashlib.sha256(file.read_bytes()).hexdigest():
            raise InputError(
                f"the jar {file} is not what was published with the broker: take it away, or name a repository that "
                "has not changed it with --repository"
            )
