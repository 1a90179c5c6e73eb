"""Files that were read and are the results of another report, which has published them again since.

Its log says what each is now, so that a reader knows it to be whole and meant, though it changed after it was read.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.files.checksum import checksum_of
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Published
from airflow_nrt.home.log.history.changed_files import change_of
from airflow_nrt.home.log.past.past import past_results
from airflow_nrt.home.log.splits import SourceFile, Split, files_of
from airflow_nrt.home.published_directory import publishing_home


def published_again(splits: Iterable[Split], group: str | None) -> frozenset[str]:
    """The names of those files that are changed or gone since they were read, as the log of their report says.

    `group` shares the homes of both reports.
    """
    logs: dict[Path, dict[str, Published | None]] = {}
    found = set()
    for file in files_of(splits):
        try:
            if _is_as_read(file):
                continue
            known = publishing_home(Path(file.path), group)
            if known is None:
                continue
            root, home = known
            if root not in logs:
                logs[root] = _places(home, root)
            if _is_as_published(Path(file.path), root, logs[root]):
                found.add(file.name)
        except (OSError, NrtError):
            # Nothing explains it then: what is wrong with it is said where it is read.
            continue
    return frozenset(found)


def _is_as_read(file: SourceFile) -> bool:
    try:
        return change_of(file) is None
    except FileNotFoundError:
        return False


def _is_as_published(file: Path, root: Path, places: dict[str, Published | None]) -> bool:
    target = file.relative_to(root).as_posix()
    if target not in places:
        return False
    standing = places[target]
    if standing is None:
        return not file.exists()
    return file.is_file() and checksum_of(file) == standing.checksum


def _places(home: Home, root: Path) -> dict[str, Published | None]:
    """What the log of a home says of each place below a directory of its results; None where a result was removed."""
    outline = home.outline()
    here = {
        one.name
        for one in (outline.inserts if outline is not None else ())
        if one.directory is not None and Path(one.directory).absolute() == root
    }
    places: dict[str, Published | None] = {}
    for entry in past_results(home.log()):
        places.update((one.target, one) for one in entry.published if one.insert in here)
        removed = (place.partition("/") for place in entry.removed)
        places.update((target, None) for insert, _, target in removed if insert in here)
    return places
