"""`outline.json` of a home: what its results look like, for whoever reads a home without planning its report again.

Planning imports what the report's authors wrote. Who looks at results runs none of that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from airflow_nrt.report.errors import HomeError
from airflow_nrt.report.formats import Format
from airflow_nrt.report.plan import Insert, Plan
from airflow_nrt.report.tables import CHANGELOG

_OF_LINES = ("csv.field-delimiter", "csv.quote-character", "csv.null-literal")
_MOST_BYTES = 16 << 20
_FORMAT = Format("the outline of a home")


@dataclass(frozen=True)
class WindowOutline:
    """The windows of results: their words, and how far their ends are apart (ms)."""

    text: str
    stride: int

    def __post_init__(self) -> None:
        _check(isinstance(self.text, str) and type(self.stride) is int and self.stride > 0, "window")


@dataclass(frozen=True)
class InsertOutline:
    """The results of one insert, which stand in files of this format in a `directory`; None if they are printed.

    `columns` are names and kinds of type (`BIGINT`) of what the files hold, `key` those that tell the rows of a window
    apart. `options` say how a line is made of them. With `whole_windows` each file holds all rows of a window.
    """

    name: str
    directory: str | None
    format: str
    columns: tuple[tuple[str, str], ...]
    key: tuple[str, ...] = ()
    window: WindowOutline | None = None
    whole_windows: bool = False
    options: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        pairs = [*self.columns, *self.options.items()]
        texts = [self.name, self.directory or "", self.format, *self.key, *(text for pair in pairs for text in pair)]
        _check(all(isinstance(text, str) for text in texts), "insert")
        _check(all(len(pair) == 2 for pair in pairs), "column")
        _check(type(self.whole_windows) is bool and (self.window is not None or not self.whole_windows), "window")

    @property
    def is_changelog(self) -> bool:
        """Whether its files hold changes, rows that are added and rows that are taken back."""
        return self.format == CHANGELOG

    @classmethod
    def of(cls, insert: Insert) -> InsertOutline:
        sink = insert.sink
        in_files = (column for column in sink.physical if column.name not in sink.partition_keys)
        window = None if insert.window is None else WindowOutline(str(insert.window), insert.window.stride)
        return cls(
            name=insert.name,
            directory=sink.path.removeprefix("file://") if "path" in sink.options else None,
            format=sink.options.get("format", "").lower(),
            columns=tuple((column.name, column.type.name) for column in in_files),
            key=insert.key or (),
            window=window,
            whole_windows=bool(insert.operators) and sink.connector == "filesystem" and not insert.tells_changes,
            options={name: sink.options[name] for name in _OF_LINES if name in sink.options},
        )


@dataclass(frozen=True)
class Outline:
    """The results of a report, insert by insert."""

    report: str
    inserts: tuple[InsertOutline, ...]

    @classmethod
    def of(cls, plan: Plan) -> Outline:
        return cls(plan.name, tuple(map(InsertOutline.of, plan.inserts)))

    def to_bytes(self) -> bytes:
        return json.dumps(_FORMAT.stamped(asdict(self)), indent=1, ensure_ascii=False).encode()

    @classmethod
    def read(cls, file: Path) -> Outline | None:
        """None if there is none. Raises HomeError if it can't be read, or if a newer version wrote it."""
        try:
            with file.open("rb") as opened:
                content = opened.read(_MOST_BYTES)
            known = _FORMAT.read(json.loads(content), file)
            _check(isinstance(known["report"], str), "report")
            return cls(known["report"], tuple(map(_insert, known["inserts"])))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as wrong:
            raise HomeError(f"the home {file.parent} can't be read: {file.name}: {wrong}") from None


def _insert(content: Any) -> InsertOutline:
    window = content["window"]
    made = {
        "columns": tuple(tuple(column) for column in content["columns"]),
        "key": tuple(content["key"]),
        "window": None if window is None else WindowOutline(**window),
    }
    return InsertOutline(**{**content, **made})


def _check(is_right: bool, what: str) -> None:
    if not is_right:
        raise TypeError(f"its {what} is of another type")
