"""What a page may not say."""

from __future__ import annotations


class Complaints:
    """What the page has written on its console, what it has thrown, and dialogs that it did not make itself.

    A browser says some of it after the page shows it, so a test names what it `expects`, and takes nothing away.
    """

    def __init__(self) -> None:
        self.expects: tuple[str, ...] = ()
        self._said: list[str] = []

    def add(self, said: str) -> None:
        self._said.append(said)

    def unexpected(self) -> list[str]:
        return [one for one in self._said if not any(part in one for part in self.expects)]
