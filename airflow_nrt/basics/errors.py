"""The errors of the product.

Every error says what is wrong and the way out in its message; `exit_status` is what the command line ends with.
"""

from __future__ import annotations

STOP_MARK = "airflow-nrt stops: "
"""Begins the message of a row that stops the driver, so that the driver recognises its own words in Spark's."""


class NrtError(Exception):
    """Base of all errors that are meant for a person; the message needs no stack trace."""

    exit_status = 1
    passes = False
    """Whether what is in the way may pass by itself, so that the same may succeed when it is tried again."""


class InputError(NrtError):
    """The report, an option or an argument is wrong. Nothing was written."""

    exit_status = 2


class MissingError(InputError):
    """Flink has it, this project does not have it yet: `what`, and what to write `instead`."""

    def __init__(self, what: str, instead: str = "") -> None:
        self.what, self.instead = what, instead
        super().__init__(f"{what}: not there yet{'; ' + instead if instead else ''}")


class DataError(NrtError):
    """The data itself can't be computed (overflow, malformed line with `fail`). A restart would meet it again."""


class HomeError(NrtError):
    """The home can't be read or written, or contradicts itself."""

    exit_status = 2
    # It may be on a disk that comes back.
    passes = True


class SurroundingsError(NrtError):
    """Something around the job is in its way: a full disk, a missing permission."""

    passes = True


class FencedError(NrtError):
    """A newer driver holds the lease of this home: this one must stop, and must not be restarted."""


class VerificationError(NrtError):
    """Published windows differ from the batch result and no late row explains it."""
