"""Fetches the jars of connectors, with the resolver of Spark, from the repositories that Spark is configured for."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.java_gateway import launch_gateway

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.jars import Jar


def fetch_jars(jars: Sequence[Jar], repositories: str | None = None) -> list[Path]:
    """The files of these jars. Those that are missing are fetched from Maven Central, or from `repositories` first.

    Raises InputError if one can't be had, or is not what its name says.
    """
    missing = [jar for jar in jars if not jar.path.is_file()]
    if missing:
        with tempfile.TemporaryDirectory(prefix="airflow-nrt-") as place:
            try:
                found = resolve([jar.coordinate for jar in missing], Path(place), repositories, transitive=False)
            except InputError as wrong:
                raise InputError(f"{wrong}, or put them into 'spark.jars' yourself") from None
            for jar in missing:
                _take(jar, found)
    return [jar.path for jar in jars]


def resolve(coordinates: Sequence[str], place: Path, repositories: str | None, transitive: bool) -> list[Path]:
    """The files of these coordinates, below `place`; with all that they need, if `transitive`, except Spark's own."""
    gateway: Any = launch_gateway()  # type: ignore[no-untyped-call]
    try:
        jvm: Any = gateway.jvm
        utils = getattr(jvm.org.apache.spark.util, "MavenUtils$").__getattr__("MODULE$")
        nothing = getattr(jvm.scala, "None$").__getattr__("MODULE$")
        no_more = getattr(jvm.scala.collection.immutable, "Nil$").__getattr__("MODULE$")
        said = jvm.java.io.ByteArrayOutputStream()
        printed = jvm.java.io.PrintStream(said)
        option = jvm.scala.Option
        # Maven's own cache may have descriptions without jars, on which the resolver fails.
        settings = utils.buildIvySettings(option.apply(repositories), option.apply(str(place)), False, printed)
        try:
            found = utils.resolveMavenCoordinates(
                ",".join(coordinates), settings, nothing, transitive, no_more, False, printed
            )
        except Py4JJavaError as failure:
            reason = str(failure.java_exception.getMessage()).strip().splitlines()[0]
            raise InputError(
                f"jars can't be fetched: {reason}. Name a repository that has them with --repository"
            ) from None
        return [Path(found.apply(n)) for n in range(found.length())]
    finally:
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(60)


def _take(jar: Jar, found: Sequence[Path]) -> None:
    file = next((one for one in found if one.name.endswith(f"_{jar.path.name}")), None)
    if file is None:
        raise InputError(f"the jar {jar.coordinate} was not found in the repositories")
    content = hashlib.sha256(file.read_bytes()).hexdigest()
    if content != jar.sha256:
        raise InputError(
            f"the jar {jar.coordinate} has another content than it was published with (SHA-256 {content}): the "
            "repository has changed it"
        )
    jar.path.parent.mkdir(parents=True, exist_ok=True)
    part = jar.path.with_suffix(f".{os.getpid()}")
    shutil.copyfile(file, part)
    os.replace(part, jar.path)
