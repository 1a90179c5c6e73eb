"""Names of the directories that a driver writes below a home."""

from __future__ import annotations

from itertools import count

_numbers = count(1)


def new_name(epoch: int) -> str:
    """A name that nothing in the home has. No other driver has this epoch, and this process has not used the number.

    A log has these names, and random ones would be a third of what it takes when it is compressed.

    >>> new_name(7).startswith("7-")
    True
    """
    return f"{epoch}-{next(_numbers)}"
