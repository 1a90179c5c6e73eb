"""A class data archive: the JVM maps Spark's classes instead of parsing them, so that a driver starts faster.

`airflow-nrt prepare` makes it, for this Java and this Spark (`engine/class_archive.py`). Drivers of the same
environment then use it; a JVM that it does not fit passes it over.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

VARIABLE = "SPARK_SUBMIT_OPTS"
"""Options of every JVM that spark-submit or pyspark starts on this host."""


def archive(java_home: str | None) -> Path:
    """The path of the archive of this Java and this Spark, whether it exists or not.

    Raises OSError if there is no Java, and PackageNotFoundError if Spark is not an installed package.
    """
    java = Path(java_home) / "bin" / "java" if java_home else Path(shutil.which("java") or "java")
    stat = java.resolve().stat()
    pyspark = find_spec("pyspark")
    spark = os.environ.get("SPARK_HOME") or (pyspark.origin if pyspark is not None else None)
    identity = f"{java.resolve()} {stat.st_size} {stat.st_mtime_ns} {version('pyspark')} {spark}"
    name = hashlib.blake2b(identity.encode(), digest_size=8).hexdigest()
    return Path(sys.prefix) / "share" / "airflow-nrt" / f"spark-{name}.jsa"


def archive_options(java_home: str | None) -> dict[str, str]:
    """The variable with which the JVMs of a process use the archive; empty if there is none, or if options name one."""
    options = os.environ.get(VARIABLE, "")
    if _is_named(options):
        return {}
    use = use_of_archive(java_home)
    return {VARIABLE: " ".join([*([options] if options else []), *use])} if use else {}


def lacking(java_home: str | None) -> Path | None:
    """The path of a missing archive that this process could use; None if it exists, can't, or if options name one."""
    if _is_named(os.environ.get(VARIABLE, "")):
        return None
    try:
        file = archive(java_home)
    except (OSError, PackageNotFoundError):
        return None
    return None if file.exists() else file


def _is_named(options: str) -> bool:
    return "SharedArchive" in options or "ArchiveClasses" in options


def use_of_archive(java_home: str | None) -> tuple[str, ...]:
    """Options of a JVM to map the archive; empty if there is none. A JVM ignores an archive that does not fit it."""
    try:
        file = archive(java_home)
    except (OSError, PackageNotFoundError):
        return ()
    # A path with spaces would be two options.
    if not file.exists() or " " in str(file):
        return ()
    return (f"-XX:SharedArchiveFile={file}", "-Xshare:auto", "-Xlog:disable", "-Xlog:all=error:stderr")
