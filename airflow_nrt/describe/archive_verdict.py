"""The result of comparing an archive with its topic."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from airflow_nrt.basics.texts import counted


@dataclass(frozen=True)
class ArchiveVerdict:
    """The comparison of one source's `archive` with the records of its topic, as of a log entry.

    `equal` records are in both with the same values. The others are `missing` in the archive, are not in the topic
    (`extra`), or `different`; `samples` are some of these. The topic no longer has the records that `gone` names, so
    they were not compared.
    """

    source: str
    archive: str
    entry: int
    equal: int
    missing: int
    extra: int
    different: int
    samples: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def is_equal(self) -> bool:
        return not (self.missing or self.extra or self.different or self.problems)

    @property
    def lines(self) -> tuple[str, ...]:
        """The verdict for a person. The last line is the conclusion."""
        word = "NOT EQUAL" if not self.is_equal else "equal" if self.equal else "nothing to compare"
        return (
            f"archive {self.archive} of {self.source}, as of log entry {self.entry}: "
            f"{counted(self.equal, 'record')} equal, {self.missing:,} missing in the archive, "
            f"{self.extra:,} not in the topic, {self.different:,} different",
            *(f"  {sample}" for sample in self.samples),
            *(f"  not compared: {one}" for one in self.gone),
            *(f"  problem: {one}" for one in self.problems),
            word,
        )

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "is_equal": self.is_equal}
