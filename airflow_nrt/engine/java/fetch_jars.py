"""Fetches the jars of connectors, with the resolver of Spark, from the repositories that Spark is configured for."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.java_gateway import launch_gateway

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.jars import Jar

_LOOK_SECONDS = 0.2


def fetch_jars(jars: Sequence[Jar], repositories: str | None = None, say: Callable[[str], None] = print) -> None:
    """Fetches those of the jars that are missing, at once, from Maven Central, or from `repositories` first.

    If one can't be had, the others stay: the next time only that one is fetched. Raises InputError if one can't be had,
    or is not what its name says.
    """
    missing = [jar for jar in jars if not jar.path.is_file()]
    if not missing:
        return
    say(f"{_counted(len(missing))} to be fetched, {len(jars) - len(missing)} are here")
    with tempfile.TemporaryDirectory(prefix="airflow-nrt-") as aside:
        place, failure = Path(aside), None
        with _arrivals(missing, place, say):
            try:
                resolve([jar.coordinate for jar in missing], place, repositories, transitive=False)
            except InputError as wrong:
                failure = InputError(f"{wrong}, or put them into 'spark.jars' yourself")
        for jar in missing:
            _take(jar, place, failure)
    if failure is not None:
        raise failure


def _counted(jars: int) -> str:
    return "1 jar is" if jars == 1 else f"{jars} jars are"


def resolve(coordinates: Sequence[str], place: Path, repositories: str | None, transitive: bool) -> list[Path]:
    """The files of these coordinates, below `place`; with all that they need, if `transitive`, except Spark's own."""
    gateway = _gateway(place)
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


def _gateway(place: Path) -> Any:
    """A JVM whose log stands in a file, so that it does not come between the lines of progress."""
    log = place / "java.log"
    with open(log, "wb") as said:
        try:
            return launch_gateway(popen_kwargs={"stderr": said})  # type: ignore[no-untyped-call]
        except Exception:
            sys.stderr.write(log.read_text(errors="replace"))
            raise


@contextmanager
def _arrivals(jars: Sequence[Jar], place: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Says of each jar that it has come, until the block ends."""
    over = threading.Event()
    coming = threading.Thread(target=_watch, args=(jars, place, say, over), daemon=True)
    coming.start()
    try:
        yield
    finally:
        over.set()
        coming.join()


def _watch(jars: Sequence[Jar], place: Path, say: Callable[[str], None], over: threading.Event) -> None:
    waiting = list(jars)
    is_over = False
    while not is_over:
        is_over = over.wait(_LOOK_SECONDS)
        for jar in list(waiting):
            file = _found(jar, place)
            if file is not None:
                waiting.remove(jar)
                megabytes = file.stat().st_size / 1e6
                say(f"{len(jars) - len(waiting)} of {len(jars)}: {jar.path.name}, {megabytes:.1f} MB")


def _found(jar: Jar, place: Path) -> Path | None:
    """The file of a jar in the resolver's cache; it is written under another name until it is whole."""
    return next(place.glob(f"cache/{jar.coordinate.split(':')[0]}/{jar.artifact}/*/{jar.path.name}"), None)


def _take(jar: Jar, place: Path, failure: InputError | None) -> None:
    file = _found(jar, place)
    if file is None and failure is not None:
        return
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
