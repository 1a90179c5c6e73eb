"""Causes of failures outside of the report, in the words of Spark, Java and the operating system, and their messages.

A cause is one entry of `CAUSES`: how it is recognised, its message, and whether it may pass by itself, so that a retry
makes sense. Values that can't be computed are in `computed.py`.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from airflow_nrt.basics.errors import InputError, NrtError, SurroundingsError
from airflow_nrt.engine.failures.root_cause import Thrown
from airflow_nrt.engine.failures.servers import RefusedError, UnreachableError
from airflow_nrt.engine.java.java_process import more_memory, said_of_end

_PATH = re.compile(r"(?:'|file:|: |^|\()(/[^\n':]+?)(?='|: | \(|\. |\s*$|\))", re.MULTILINE)


@dataclass(frozen=True)
class Cause:
    """A failure has a cause if one of its `words` is in an exception's message, kind or condition.

    `message` makes the text for people, from the path that the exceptions name, or None.
    """

    words: tuple[str, ...]
    message: Callable[[str | None], str]
    passes: bool = True
    error: type[NrtError] = SurroundingsError
    """Of a cause that passes."""

    def of(self, chain: Sequence[Thrown]) -> NrtError | None:
        """The error of a failure, None if it has another cause."""
        matching = [one for one in chain if any(map(_said_by(one).__contains__, self.words))]
        if not matching:
            return None
        # The matching exception names the path of the failure; those around it name paths of what they were doing.
        named = (_path(one) for one in [*reversed(matching), *reversed(chain)])
        message = self.message(next((path for path in named if path is not None), None))
        return self.error(message) if self.passes else InputError(message)


def _full(path: str | None) -> str:
    where = f"the disk of {path}" if path else "a disk (of the home, of a sink, or of Spark's temporary files)"
    return f"no space is left on {where}: make room, or move what fills it; nothing that was committed is lost"


def _denied(path: str | None) -> str:
    return f"no permission for {path or 'a file'}: let user {_user()} read and write there"


def _no_directory(path: str | None) -> str:
    return (
        f"the directory {path or '(not named)'} can't be made: user {_user()} needs permission, and the disk needs room"
    )


def _read_only(path: str | None) -> str:
    return f"the file system of {path or 'a file'} is read-only: mount it for writing"


def _gone(path: str | None) -> str:
    return f"the file {path or '(not named by Spark)'} was removed before it was read: leave files where they arrive"


def _linked(path: str | None) -> str:
    return (
        f"{path or 'a file'} became a link that leads out of its directory before it was read: the next look leaves it "
        "out ('source.follow-links')"
    )


def _no_master(path: str | None) -> str:
    return "the Spark master does not answer: start it, or correct --master"


def _stopped(path: str | None) -> str:
    return (
        "Spark was stopped: its master does not answer, or has ended the application. The cluster's log says why; "
        "start the master, or correct --master"
    )


def _no_memory(path: str | None) -> str:
    return f"Java ran out of memory: {more_memory()} (of executors: spark.executor.memory)"


def _no_java(path: str | None) -> str:
    return said_of_end()


def _no_gateway(path: str | None) -> str:
    return "Spark could not start, because Java ended: its output is above"


def _no_kafka(path: str | None) -> str:
    return "Kafka does not answer: nothing is lost until it does"


def _login(path: str | None) -> str:
    return "Kafka refuses the login or a privilege: correct 'properties.sasl.…', or grant it"


def _user() -> str:
    return str(os.environ.get("USER") or os.geteuid())


OUT_OF_MEMORY = Cause(("OutOfMemoryError",), _no_memory)
FILE_GONE = Cause(("FAILED_READ_FILE.FILE_NOT_EXIST", "PATH_NOT_FOUND"), _gone)
CAUSES = {
    "full disk": Cause((os.strerror(errno.ENOSPC), os.strerror(errno.EDQUOT)), _full),
    "no permission": Cause(
        (os.strerror(errno.EACCES), "AccessDeniedException", "AccessControlException", "PermissionError"), _denied
    ),
    "no directory": Cause(("Mkdirs failed to create",), _no_directory),
    "read-only": Cause((os.strerror(errno.EROFS),), _read_only),
    # What `LocalFiles.java` says. To Spark such a file is gone.
    "linked": Cause(("is a link that leads out of",), _linked),
    "gone": FILE_GONE,
    "no memory": OUT_OF_MEMORY,
    "no java": Cause(("ConnectionRefusedError", "Py4JNetworkError", "Answer from Java side is empty"), _no_java),
    # A master that never answered is reported earlier (`masters.py`). One that did may be back soon.
    "no master": Cause(("All masters are unresponsive",), _no_master),
    "stopped": Cause(("stopped SparkContext", "SparkContext was shut down", "LiveListenerBus is stopped"), _stopped),
    # Of tasks; `sources/kafka/client.py` asks as the driver.
    "no login to kafka": Cause(
        (
            "kafka.common.errors.SaslAuthentication",
            "kafka.common.errors.SslAuthentication",
            "kafka.common.errors.TopicAuthorization",
            "kafka.common.errors.ClusterAuthorization",
        ),
        _login,
        error=RefusedError,
    ),
    "no kafka": Cause(
        ("kafka.common.errors.TimeoutException", "Cannot fetch record for offset", "kafka.common.errors.Disconnect"),
        _no_kafka,
        error=UnreachableError,
    ),
    "no gateway": Cause(("JAVA_GATEWAY_EXITED",), _no_gateway, passes=False),
}


def cause_of(chain: Sequence[Thrown]) -> NrtError | None:
    """The error of a known cause, None if there is none."""
    return next((found for cause in CAUSES.values() if (found := cause.of(chain)) is not None), None)


def _said_by(thrown: Thrown) -> str:
    return f"{thrown.kind} {thrown.condition} {thrown.message}"


def _path(thrown: Thrown) -> str | None:
    named = thrown.given("path")
    match = re.match(r"(?:file:)?(/.*)", named) or _PATH.search(thrown.message)
    if match is None:
        return None
    # Paths below are Spark's own.
    path = unquote(match.group(1)).strip().partition("/_temporary/")[0]
    return f"/{path.lstrip('/')}"
