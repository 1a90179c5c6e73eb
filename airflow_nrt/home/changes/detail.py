"""One difference of two reports, in their own words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Detail:
    """The text of `what` was `before` and is `now`; None where it is not there, '' where the name says all.

    `applies` says from when on it counts, where it changes no result.
    """

    what: str
    before: str | None
    now: str | None
    applies: str = ""

    def __str__(self) -> str:
        text = self._change()
        return f"{text} ({self.applies})" if self.applies else text

    def _change(self) -> str:
        if self.before is None:
            return f"+ {self.what}{_after_colon(self.now)}"
        if self.now is None:
            return f"- {self.what}{_after_colon(self.before)}"
        return f"{self.what}: {self.before} -> {self.now}"

    def shown(self, mask: Callable[[str], str]) -> Detail:
        """The same for people, without what the mask hides."""
        before, now = (text if text is None else mask(text) for text in (self.before, self.now))
        if before == now and before is not None:
            now = "the same with another value of a masked setting"
        return replace(self, what=mask(self.what), before=before, now=now)


def _after_colon(text: str | None) -> str:
    return f": {text}" if text else ""
