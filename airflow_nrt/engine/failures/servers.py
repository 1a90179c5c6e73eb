"""What servers refuse or do not answer: nothing is lost until they do."""

from __future__ import annotations

from airflow_nrt.basics.errors import InputError, NrtError


class UnreachableError(NrtError):
    """A server does not answer. A driver waits for it."""

    passes = True


class LockedError(UnreachableError):
    """Somebody else holds a lock for longer than the table's options allow to wait."""


class RefusedError(InputError):
    """A server refuses a login or a privilege.

    It is an error at the start of a run. A driver that has begun waits, because the login may have been changed
    meanwhile.
    """


AWAY = (UnreachableError, RefusedError)
"""What a driver that has begun waits for."""


class OutdatedLoginError(NrtError):
    """A server has refused for too long. This driver has an old login: another one may be given a new one."""

    passes = True
