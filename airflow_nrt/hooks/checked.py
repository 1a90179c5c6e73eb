"""The test of a connection: whether its homes and its master can be used, from this host and without Spark."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING, Any

from airflow_nrt.basics.errors import HomeError, InputError
from airflow_nrt.home.home import Home

if TYPE_CHECKING:
    from airflow_nrt.launch.submission import Cluster

_SECONDS = 3.0
_STANDALONE = "spark://"
_PORT = 7077


def check_connection(settings: Any, cluster: Cluster) -> tuple[bool, str]:
    """Whether `NrtSettings` and the cluster that they name can be used, and one sentence about each part.

    A home that is not on this host counts as usable, because the api-server tests, and workers run reports.
    """
    found = (_about_homes(settings.home, settings.group), _about_master(cluster.master))
    mode = f", deploy mode {cluster.deploy_mode}" if cluster.deploy_mode else ""
    sentences = [text for _, text in found]
    return all(is_right for is_right, _ in found), f"{'; '.join(sentences)}{mode}"


def _about_homes(root: str | None, group: str | None) -> tuple[bool, str]:
    if root is None:
        return True, "no homes: each task names its own"
    host = socket.gethostname()
    try:
        path = Home.at(root, group).path
    except (InputError, HomeError) as wrong:
        return False, str(wrong)
    if not path.is_absolute() or not os.path.isabs(root.removeprefix("file://")):
        return (
            False,
            f"the homes {root!r} are a relative path, which starts elsewhere in each process: give an absolute",
        )
    if not os.path.lexists(path):
        return True, f"homes {path} are not on {host}: workers make them, or mount them"
    if not path.is_dir():
        return False, f"the homes {path} are no directory"
    if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        return False, f"user {os.geteuid()} of {host} can't write into the homes {path}"
    return True, f"homes {path} can be written from {host}"


def _about_master(master: str) -> tuple[bool, str]:
    """Whether one of the addresses of a standalone master answers; other masters depend on the setup of Spark."""
    if not master.startswith(_STANDALONE):
        return True, f"Spark master {master}"
    failures = []
    for address in master.removeprefix(_STANDALONE).split(","):
        host, _, port = address.rpartition(":") if ":" in address else (address, "", str(_PORT))
        try:
            socket.create_connection((host.strip("[]"), int(port)), _SECONDS).close()
        except (OSError, ValueError) as wrong:
            failures.append(f"{address}: {wrong}")
        else:
            return True, f"Spark master {master} answers"
    return False, f"Spark master {master} does not answer {socket.gethostname()} ({'; '.join(failures)})"
