"""Settings of Spark that a task may give to a report: none that chooses code, options of a JVM, paths or addresses.

Settings of a task may come from a run's configuration, and so from anybody who may trigger the DAG.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.options.harmless_spark import is_harmless
from airflow_nrt.model.options.known import SPARK_PREFIX

_PLAIN = re.compile(r"[\w.+:/%-]*", re.ASCII)


def check_spark_settings(settings: Mapping[str, str]) -> None:
    """Raises InputError for the first setting of Spark that a task may not give, by its name."""
    for name, value in settings.items():
        if not name.startswith(SPARK_PREFIX):
            continue
        if not is_harmless(name):
            raise InputError(
                f"the setting {name!r} is not taken from a task's settings, as it may choose code, options of Java, "
                "paths or secrets: put it into `conf` of the connection, or write it into the report (SET)"
            )
        if _PLAIN.fullmatch(value) is None:
            raise InputError(f"the setting {name!r} has a value that is not a number, a size or a name")
