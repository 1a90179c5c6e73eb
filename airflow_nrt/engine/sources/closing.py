"""When the directories of a source close, by 'source.close-directories-after', and what came into them later."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Mapping

from airflow_nrt.basics.texts import counted
from airflow_nrt.engine.sources.unfit_files import shown_path
from airflow_nrt.home.log.fold.inputs import SourceInputs
from airflow_nrt.home.log.fold.looks import Look
from airflow_nrt.home.log.splits import SourceFile
from airflow_nrt.home.notes.unread import UnreadFiles

LOOK_NS = 300_000_000_000
"""How often somebody looks whether a closed directory has changed."""
_NS = 1_000_000

log = logging.getLogger(__name__)


class Closing:
    """The closed directories of a source, and those that close next; `after` in ms, None: none does.

    A directory closes when a listing finds nothing new in it so long after its last change, and after the last entry
    that read one of its files. One of which no file was read stays open.
    """

    def __init__(self, after: int | None, read: SourceInputs) -> None:
        self._after = None if after is None else after * _NS
        self.closed = set(read.closed)
        self._active = {f"{directory.rstrip('/')}/": time * _NS for directory, time in read.reopened.items()}
        self._read = read
        self._looked: dict[str, int] = {}
        self._unread: dict[str, dict[str, int]] = {}

    def absorbed(self, files: Iterable[SourceFile], now: int) -> None:
        """An entry has read these files now (ns)."""
        self._active.update((f"{os.path.dirname(file.path).rstrip('/')}/", now) for file in files)

    def may_close(self, directory: str, look: Look) -> bool:
        """Whether the directory was listed so long after its last change."""
        return self._quiet_for(directory, look, look.listed)

    def waits_for_listing(self, directory: str, look: Look, now: int) -> bool:
        """Whether nothing but another listing keeps the directory from closing; `now` in ns."""
        return self._quiet_for(directory, look, now) and not self.may_close(directory, look)

    def _quiet_for(self, directory: str, look: Look, at: int) -> bool:
        if self._after is None or directory in self.closed:
            return False
        key = f"{directory.rstrip('/')}/"
        read = self._read.files.directories.get(key)
        known = [self._active.get(key), None if read is None else read * _NS]
        times = [time for time in known if time is not None]
        return bool(times) and at - max(look.modified, *times) > self._after

    # ------------------------------------------------------------------ what is closed

    def passes(self, directory: str, now: int) -> bool:
        """Whether nobody has to look at this directory now (ns), because it is closed."""
        return directory in self.closed and 0 <= now - self._looked.get(directory, 0) < LOOK_NS

    def looked(self, directory: str, now: int) -> None:
        if directory in self.closed:
            self._looked[directory] = now

    def kept_out(self, found: Iterable[SourceFile], listed: Callable[[str], bool]) -> list[SourceFile]:
        """The files that are not in closed directories. The others are noted, and logged; `listed` says which
        directories were listed whole."""
        passed: list[SourceFile] = []
        late: dict[str, dict[str, int]] = {
            directory: {} if listed(directory) else files
            for directory, files in self._unread.items()
            if os.path.isdir(directory)
        }
        for file in found:
            directory = os.path.dirname(file.path)
            if directory in self.closed:
                late[directory] = {**late.get(directory, {}), file.path: file.size}
            else:
                passed.append(file)
        late = {directory: files for directory, files in late.items() if files}
        for directory, files in late.items():
            if files != self._unread.get(directory):
                log.warning(
                    "%s in %s came after the directory was closed, and %s not read: `airflow-nrt reopen` has them read",
                    counted(len(files), "file"),
                    shown_path(directory),
                    "is" if len(files) == 1 else "are",
                )
        self._unread = late
        return passed

    @property
    def unread(self) -> Mapping[str, UnreadFiles]:
        return {name: UnreadFiles(len(files), sum(files.values())) for name, files in self._unread.items()}
