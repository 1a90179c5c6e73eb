"""Checks the Spark master of a session, before Java starts and waits for it."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Mapping
from pathlib import Path

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.masters import check_master as check_name

_ADDRESS = re.compile(r"(?:https?://)?(\[[^\]]+\]|[^:/]+)(?::(\d+))?/?")
_PATIENCE = 5.0
"""Seconds. A running host accepts or refuses a connection in milliseconds."""
_PORTS = {"spark": "7077", "k8s": "443"}
_YARN = ("HADOOP_CONF_DIR", "YARN_CONF_DIR")
_IMAGES = tuple(f"spark.kubernetes.{which}container.image" for which in ("", "executor."))


def check_master(master: str, settings: Mapping[str, str]) -> None:
    """Raises InputError if this is no master, if it does not listen, or if a setting for it is missing."""
    check_name(master)
    kind, _, where = master.partition("://")
    if kind == "yarn" and not any(os.environ.get(name) for name in _YARN) and "CONF_DIR" not in _configured("env.sh"):
        raise InputError(
            "master yarn needs the directory of Hadoop's configuration (yarn-site.xml, core-site.xml): "
            "export HADOOP_CONF_DIR=…"
        )
    if kind == "k8s" and not any(name in settings for name in _IMAGES):
        given = _configured("defaults.conf") + os.environ.get("PYSPARK_SUBMIT_ARGS", "")
        if not any(name in given for name in _IMAGES):
            raise InputError(f"master k8s:// needs the image of its executors: SET '{_IMAGES[0]}' = '…'")
    if kind in _PORTS:
        _check_listening(master, where.split(",") if kind == "spark" else [where], _PORTS[kind])


def _check_listening(master: str, addresses: list[str], port: str) -> None:
    """Raises InputError unless one of the masters listens; the others are standbys."""
    refused = []
    for address in addresses:
        match = _ADDRESS.fullmatch(address)
        if match is None:
            raise InputError(f"there is no Spark master {master!r}: {address!r} is not HOST:PORT")
        try:
            with socket.create_connection((match[1].strip("[]"), int(match[2] or port)), timeout=_PATIENCE):
                return
        except (OSError, OverflowError) as wrong:
            refused.append(f"{address}: {getattr(wrong, 'strerror', None) or wrong}")
    raise InputError(f"no Spark master answers at {master} ({', '.join(refused)}): start it, or correct --master")


def _configured(name: str) -> str:
    """The text of Spark's own file `spark-NAME`, '' if there is none."""
    home = os.environ.get("SPARK_HOME")
    directory = os.environ.get("SPARK_CONF_DIR") or (f"{home}/conf" if home else "")
    try:
        return Path(directory, f"spark-{name}").read_text() if directory else ""
    except OSError:
        return ""
