"""Very many names of files in little memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

_MOST = 64
"""Names in one text: so few are searched faster than Python finds an object."""


class Names:
    """A set of names, without `/` in them. A name takes about its length in bytes, in a set of Python ten times that.

    Names with the same remainder of their hash are one text: `/a.csv/b.csv/`.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._count = 0
        self._texts = ["/"]
        for name in names:
            self.add(name)

    def __contains__(self, name: str) -> bool:
        return f"/{name}/" in self._texts[hash(name) % len(self._texts)]

    def __iter__(self) -> Iterator[str]:
        return (name for text in self._texts for name in text[1:-1].split("/") if name)

    def __len__(self) -> int:
        return self._count

    def add(self, name: str) -> None:
        if name in self:
            return
        self._count += 1
        if self._count > _MOST * len(self._texts):
            self._spread()
        self._texts[hash(name) % len(self._texts)] += f"{name}/"

    def _spread(self) -> None:
        many = 4 * len(self._texts)
        parts: list[list[str]] = [[] for _ in range(many)]
        for name in self:
            parts[hash(name) % many].append(name)
        self._texts = [f"/{'/'.join(part)}/" if part else "/" for part in parts]
