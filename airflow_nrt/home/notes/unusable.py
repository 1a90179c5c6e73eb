"""Which classes in Java the driver of a home goes without, because they do not fit its Spark: `notes/unusable.json`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.basics.texts import shortened
from airflow_nrt.files.formats import Format
from airflow_nrt.home.home import Home
from airflow_nrt.home.store.records import read_record, record_bytes

_MOST_BYTES = 64 * 1024
_MOST_LETTERS = 500
_FORMAT = Format("the note of unusable classes")


@dataclass(frozen=True)
class UnusableClasses:
    """The version of Spark of an epoch's driver, and why classes do not fit it, by their names."""

    epoch: int
    spark: str
    reasons: Mapping[str, str]

    def __post_init__(self) -> None:
        texts = {shortened(name, _MOST_LETTERS): shortened(why, _MOST_LETTERS) for name, why in self.reasons.items()}
        object.__setattr__(self, "spark", shortened(self.spark, _MOST_LETTERS))
        object.__setattr__(self, "reasons", texts)


def note_unusable(home: Home, found: UnusableClasses) -> None:
    """Writes it, unless there is one of a newer epoch. A home that can't be written keeps none."""
    with suppress(OSError, HomeError):
        known = _read(home)
        if known is None or known.epoch <= found.epoch:
            home.notes.make()
            home.unusable.replace(record_bytes(_FORMAT, found))


def unusable_classes(home: Home, epoch: int) -> UnusableClasses | None:
    """The note of the driver of this epoch; None if it uses all classes, or if the note can't be read."""
    found = _read(home)
    return found if found is not None and found.epoch == epoch else None


def _read(home: Home) -> UnusableClasses | None:
    with suppress(OSError, HomeError):
        return read_record(home.unusable, _FORMAT, UnusableClasses, _MOST_BYTES)
    return None
