"""Row: several values, by position and, where it has names, by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class Row(list[Any]):
    """`Row(1, 'a')`, `Row(n=1, s='a')`; its values can be changed: `row[0] += 1`, `row.n = 2`."""

    __slots__ = ("_names",)

    def __init__(self, *values: Any, **named: Any) -> None:
        if values and named:
            raise ValueError("a Row takes values by position or by name, not both")
        list.__init__(self, values or named.values())
        object.__setattr__(self, "_names", tuple(named))

    @classmethod
    def of(cls, values: Iterable[Any], names: tuple[str, ...] = ()) -> Row:
        row = cls(*values)
        object.__setattr__(row, "_names", names)
        return row

    def as_dict(self) -> dict[str, Any]:
        """Raises TypeError if the values have no names."""
        if len(self._names) != len(self):
            raise TypeError(f"{self!r} has no names")
        return dict(zip(self._names, self))

    def _place(self, name: str) -> int:
        if name not in self._names:
            raise KeyError(f"{self!r} has no field {name!r}")
        return int(self._names.index(name))

    def __getitem__(self, key: Any) -> Any:
        return list.__getitem__(self, self._place(key) if type(key) is str else key)

    def __setitem__(self, key: Any, value: Any) -> None:
        list.__setitem__(self, self._place(key) if type(key) is str else key, value)

    def __getattribute__(self, name: str) -> Any:
        # A field hides a method of lists: `row.count`, `row.index`.
        names = () if name.startswith("_") else object.__getattribute__(self, "_names")
        if name in names:
            return list.__getitem__(self, names.index(name))
        return object.__getattribute__(self, name)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"this Row has no field {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._names:
            raise AttributeError(f"this Row has no field {name!r}")
        list.__setitem__(self, self._names.index(name), value)

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return Row.of, (tuple(self), self._names)

    def __repr__(self) -> str:
        if self._names:
            return f"Row({', '.join(f'{name}={value!r}' for name, value in zip(self._names, self))})"
        return f"Row({', '.join(map(repr, self))})"
