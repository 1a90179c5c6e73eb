"""Row: several values, by position and, where it has names, by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class Row:
    """`Row(1, 'a')`, `Row(n=1, s='a')`; its values can be changed: `row[0] += 1`, `row.n = 2`."""

    __slots__ = ("_names", "_values")

    def __init__(self, *values: Any, **named: Any) -> None:
        if values and named:
            raise ValueError("a Row takes values by position or by name, not both")
        object.__setattr__(self, "_values", list(values or named.values()))
        object.__setattr__(self, "_names", tuple(named))

    @classmethod
    def of(cls, values: list[Any], names: tuple[str, ...] = ()) -> Row:
        """A row that holds this very list."""
        row = cls.__new__(cls)
        object.__setattr__(row, "_values", values)
        object.__setattr__(row, "_names", names)
        return row

    def as_dict(self) -> dict[str, Any]:
        """Raises TypeError if the values have no names."""
        if len(self._names) != len(self._values):
            raise TypeError(f"{self!r} has no names")
        return dict(zip(self._names, self._values))

    def _place(self, key: Any) -> Any:
        if not isinstance(key, str):
            return key
        if key not in self._names:
            raise KeyError(f"{self!r} has no field {key!r}")
        return self._names.index(key)

    def __getitem__(self, key: Any) -> Any:
        return self._values[key if type(key) in (int, slice) else self._place(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._values[key if type(key) is int else self._place(key)] = value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self._names:
            raise AttributeError(f"{self!r} has no field {name!r}")
        return self._values[self._names.index(name)]

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._names:
            raise AttributeError(f"{self!r} has no field {name!r}")
        self._values[self._names.index(name)] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        return self._values == other._values if isinstance(other, Row) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self._values))

    def __reduce__(self) -> tuple[Any, ...]:
        return Row.of, (self._values, self._names)

    def __repr__(self) -> str:
        if self._names:
            return f"Row({', '.join(f'{name}={value!r}' for name, value in zip(self._names, self._values))})"
        return f"Row({', '.join(map(repr, self._values))})"
