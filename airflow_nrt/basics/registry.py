"""Things by name: those of the product, and those that installed packages add by entry points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from airflow_nrt.basics.errors import InputError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """`known` by name, and the entry points of a `group`, each an instance of `kind`. Packages replace no known name.

    Entry points are looked for when an unknown name is asked for, because that reads the metadata of all packages.
    """

    def __init__(self, group: str, kind: type[T], known: Mapping[str, T]) -> None:
        self._group = group
        self._kind = kind
        self._things = dict(known)

    def __getitem__(self, name: str) -> T:
        """Raises KeyError for an unknown name, InputError for an entry point that can't be loaded."""
        if name not in self._things:
            self._things[name] = self._loaded(self._added[name])
        return self._things[name]

    def of(self, name: str) -> T:
        """Raises InputError for a name that no installed package adds."""
        if name not in self:
            raise InputError(
                f"no installed package has an entry point {name!r} of {self._group}: add one to the package of the "
                "connector"
            )
        return self[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._things, **self._added})

    def __len__(self) -> int:
        return len({**self._things, **self._added})

    def __contains__(self, name: object) -> bool:
        return name in self._things or name in self._added

    @cached_property
    def _added(self) -> dict[str, EntryPoint]:
        # Imported here, because commands that meet no unknown name start faster without.
        from importlib.metadata import entry_points

        found: dict[str, EntryPoint] = {}
        for one in entry_points(group=self._group):
            known = found.setdefault(one.name, one)
            if known.value != one.value:
                raise InputError(
                    f"{self._group}: {known.value!r} and {one.value!r} are both named {one.name!r}: uninstall one of "
                    "their packages"
                )
        return found

    def _loaded(self, entry: EntryPoint) -> T:
        package = entry.dist.name if entry.dist is not None else "an installed package"
        place = f"{package}: the entry point {entry.name} = {entry.value!r} of {self._group}"
        try:
            thing = entry.load()
        except Exception as wrong:
            raise InputError(f"{place} can't be loaded: {type(wrong).__name__}: {wrong}") from wrong
        if not isinstance(thing, self._kind):
            raise InputError(f"{place} is no {self._kind.__name__}: name an instance, here is {thing!r:.200}")
        return thing
