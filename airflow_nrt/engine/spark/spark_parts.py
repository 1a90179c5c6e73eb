"""Checks that the parts of Spark have one version: the packages pyspark and pyspark-client, and the jars.

Both packages write the folder pyspark/, so two versions overwrite files of each other, without a warning by an
installer (docs/decisions/04-spark-version.md). SPARK_HOME may have jars of a third version.
"""

from __future__ import annotations

import os
import re
from importlib.machinery import PathFinder
from importlib.metadata import distributions
from pathlib import Path

import pyspark

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.spark_version import REINSTALL

_RELEASE = re.compile(r"\d+\.\d+\.\d+")
"""Versions of vendors and of Python packages continue after it."""


def check_parts() -> None:
    """Raises InputError, with what to do, if versions differ. Parts that are not on this host, as on YARN, are not
    checked."""
    found = PathFinder.find_spec("pyspark")
    if found is None or found.origin is None:
        return
    folder = Path(found.origin).parent
    _check_packages(folder.parent)
    _check_jars(folder)


def _check_packages(site: Path) -> None:
    versions = {
        name: one.version
        for name in ("pyspark", "pyspark-client")
        for one in distributions(name=name, path=[str(site)])
    }
    if len(set(versions.values())) > 1:
        both = " and ".join(f"{name} {version}" for name, version in versions.items())
        raise InputError(
            f"{both} are installed, and have overwritten files of each other in {site / 'pyspark'}: run `{REINSTALL}`"
        )


def _check_jars(folder: Path) -> None:
    home = Path(os.environ.get("SPARK_HOME") or folder)
    jar = next((home / "jars").glob("spark-core_*.jar"), None)
    if jar is None:
        return
    of_jar, of_package = _RELEASE.search(jar.name), _RELEASE.search(pyspark.__version__)
    if of_jar is None or of_package is None or of_jar[0] == of_package[0]:
        return
    mended = f"run `{REINSTALL}`"
    if home.resolve() != folder.resolve():
        mended = f"unset SPARK_HOME, or let it name a Spark {of_package[0]}"
    raise InputError(
        f"pyspark is of version {of_package[0]}, and the jars in {jar.parent} are of {of_jar[0]}: {mended}"
    )
