"""The errors of the product.

The message of each error says what is wrong and how to correct it; `exit_status` is the exit status of the command
line.
"""

from __future__ import annotations

STOP_MARK = "airflow-nrt stops: "
"""The prefix of a message about a row that stops the driver: by it the driver finds its own message in Spark's."""


class NrtError(Exception):
    """Base of all errors whose message is for a person, without a stack trace."""

    exit_status = 1
    passes = False
    """Whether the cause may pass by itself, so that a retry may succeed."""


class InputError(NrtError):
    """The report, an option or an argument is wrong. Nothing was written."""

    exit_status = 2


class ChangedReportError(InputError):
    """The report is another one than that of its home: what differs, and the `way_out`."""

    def __init__(self, what: str, way_out: str) -> None:
        self.way_out = way_out
        super().__init__(f"{what}\n{way_out}")


class MissingError(InputError):
    """Flink has it, this project does not have it yet: `what`, and what to write `instead`."""

    def __init__(self, what: str, instead: str = "") -> None:
        self.what, self.instead = what, instead
        super().__init__(f"{what}: not there yet{'; ' + instead if instead else ''}")


class DataError(NrtError):
    """The data can't be computed (overflow, malformed line with `fail`). A restart would fail again."""


class HomeError(NrtError):
    """The home can't be read or written, or contradicts itself."""

    exit_status = 2
    # The disk may come back.
    passes = True


class RetainedError(HomeError):
    """What is asked for was removed, because the home keeps its history only for so long."""

    passes = False


class SurroundingsError(NrtError):
    """The environment of the job prevents it: a full disk, a missing permission."""

    passes = True


class FencedError(NrtError):
    """A newer driver holds the lease of this home: this one must stop, and must not be restarted."""


class VerificationError(NrtError):
    """Published windows differ from the batch result and no late row explains it."""
