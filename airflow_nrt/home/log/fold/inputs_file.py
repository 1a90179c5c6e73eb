"""A file with what a range of entries has read: columns of JSON, compressed, because names of files are alike."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.decoding import decoded, parse_json
from airflow_nrt.files.formats import Format
from airflow_nrt.home.log.entries import SourceFile, SourceRange, TableVersion
from airflow_nrt.home.log.fold.inputs import ArchivedFile, Inputs, SourceInputs
from airflow_nrt.home.store.records import record_bytes
from airflow_nrt.home.store.store_path import StorePath

_FORMAT = Format("inputs of a checkpoint")
_MOST_BYTES = 1 << 30


@dataclass(frozen=True)
class _Files:
    """Files by column. `corrupt` and `versions` have the places of the few files that need them."""

    path: Sequence[str]
    size: Sequence[int]
    modified: Sequence[int]
    corrupt: Sequence[int]
    version: Mapping[int, TableVersion]


@dataclass(frozen=True)
class _Source:
    files: _Files
    ranges: tuple[SourceRange, ...]


@dataclass(frozen=True)
class _Content:
    sources: Mapping[str, _Source]
    dimensions: tuple[str, ...]
    archived: Mapping[str, ArchivedFile]
    gone: tuple[str, ...]


def write_inputs(path: StorePath, inputs: Inputs) -> tuple[int, int]:
    """Gives the size in bytes, and the CRC-32 of the content, which is the same for the same inputs. Raises OSError."""
    sources = {name: _Source(_by_column(one.files), one.ranges) for name, one in inputs.sources.items()}
    content = record_bytes(_FORMAT, _Content(sources, inputs.dimensions, inputs.archived, inputs.gone))
    stored = gzip.compress(content)
    path.replace(stored)
    return len(stored), zlib.crc32(content)


def read_inputs(path: StorePath, crc: int) -> Inputs:
    """Raises HomeError unless it is a file with this checksum."""
    try:
        with gzip.open(BytesIO(path.read(_MOST_BYTES))) as file:
            content = file.read(_MOST_BYTES)
        if zlib.crc32(content) != crc:
            raise ValueError("it is not what was written there")
        found = decoded(_FORMAT.read(parse_json(content), path), _Content)
        sources = {name: SourceInputs(_by_row(one.files), one.ranges) for name, one in found.sources.items()}
    except (OSError, ValueError, TypeError, EOFError, zlib.error) as wrong:
        raise HomeError(f"{path} can't be read: {wrong}") from None
    return Inputs(sources, found.dimensions, found.archived, found.gone)


def _by_column(files: Sequence[SourceFile]) -> _Files:
    corrupt = [n for n, file in enumerate(files) if file.corrupt]
    versions = {n: file.version for n, file in enumerate(files) if file.version is not None}
    paths, sizes = [file.path for file in files], [file.size for file in files]
    return _Files(paths, sizes, [file.modified for file in files], corrupt, versions)


def _by_row(files: _Files) -> tuple[SourceFile, ...]:
    corrupt = frozenset(files.corrupt)
    rows = enumerate(zip(files.path, files.size, files.modified, strict=True))
    return tuple(SourceFile(*row, n in corrupt, files.version.get(n)) for n, row in rows)
