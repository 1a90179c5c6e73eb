"""The variables of a worker's environment that a driver or a command gets: those that it needs, and no others."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

from airflow_nrt.basics.errors import InputError

NEEDED = (
    *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR", "VIRTUAL_ENV", "LD_LIBRARY_PATH"),
    *("JAVA_HOME", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "SPARK_*", "PYSPARK_*", "PYTHON*", "NRT_*"),
    *("HADOOP_*", "YARN_*", "KUBECONFIG", "KUBERNETES_SERVICE_*", "KRB5*", "SSL_CERT_*"),
    *(name for proxy in ("http_proxy", "https_proxy", "no_proxy", "all_proxy") for name in (proxy, proxy.upper())),
)
"""Names of variables; `*` matches the rest of a name."""
_NAME = re.compile(r"\w+\*?")


def named_variables(text: str | None) -> tuple[str, ...]:
    """The names of `AWS_*, MY_VARIABLE`. Raises InputError if one can't be the name of a variable."""
    names = tuple(re.split(r"[\s,]+", text.strip())) if text and text.strip() else ()
    wrong = next((name for name in names if _NAME.fullmatch(name) is None), None)
    if wrong is not None:
        raise InputError(f"environment: {wrong!r} is no name of a variable; write for example AWS_*, MY_VARIABLE")
    return names


def needed_environment(named: Iterable[str] = ()) -> dict[str, str]:
    """The needed variables of this process's environment, and those that a connection names.

    Variables of Airflow hold its secrets: one is passed on only if its whole name is given.
    """
    patterns = (*NEEDED, *named)
    return {name: value for name, value in os.environ.items() if _goes_along(name, patterns)}


def _goes_along(name: str, patterns: Iterable[str]) -> bool:
    if name.startswith("AIRFLOW_"):
        return name in patterns
    return any(fnmatchcase(name, pattern) for pattern in patterns)
