"""Which tasks of Airflow work on a home: `notes/tasks/<what they do>.json`.

Who may see a home, and act on it, is decided by the permissions on the DAG of the task that supervises it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.formats import Format
from airflow_nrt.home.store.records import read_record, record_bytes

if TYPE_CHECKING:
    from airflow_nrt.home.home import Home

STREAM, BACKFILL, VERIFY = KINDS = ("stream", "backfill", "verify")
PUBLISHES, VERIFIES, REPAIRS = DOES = ("publish", "verify", "repair")
"""What a backfill does with the windows of a run that asks for nothing else."""
_MOST_LETTERS = 250
"""The most characters of Airflow's ids."""
_MOST_BYTES = 16 * 1024
_FORMAT = Format("the task of a home")


@dataclass(frozen=True)
class TaskOfHome:
    """The last task of its kind that worked on the home, of a stream the last one that launched a driver. A task does
    not replace one that accepts more.

    `takes` are the requests that a run may make: windows (`interval`), and of a backfill to `verify` or to `repair`
    them. `does` is what a backfill does without such a request, '' if only the run decides that.
    """

    dag_id: str
    task_id: str
    takes: tuple[str, ...] = ()
    does: str = ""

    def __post_init__(self) -> None:
        """Raises TypeError."""
        check_ids(self.dag_id, self.task_id)
        if self.does not in ("", *DOES):
            raise TypeError(f"no backfill does {self.does[:_MOST_LETTERS]!r}")

    def replaces(self, known: TaskOfHome) -> bool:
        """A task with fixed windows is of no use for other windows."""
        is_same = (self.dag_id, self.task_id) == (known.dag_id, known.task_id)
        return self != known and (is_same or not set(self.takes) < set(known.takes))


def check_ids(*ids: str) -> None:
    """Raises TypeError for what is no id of Airflow."""
    if any(not name or len(name) > _MOST_LETTERS or not name.isprintable() for name in ids):
        raise TypeError("it names no task")


def note_task(home: Home, kind: str, task: TaskOfHome) -> None:
    """Writes it, unless it is there already, or another one that accepts more. Raises OSError, HomeError."""
    with suppress(FileNotFoundError, HomeError):
        if not task.replaces(_read(home, kind)):
            return
    # A version that does not know `does` reads the others.
    content = {name: value for name, value in asdict(task).items() if value or name != "does"}
    home.tasks.make()
    (home.tasks / f"{kind}.json").replace(record_bytes(_FORMAT, content))


def tasks_of(home: Home) -> Mapping[str, TaskOfHome]:
    """The tasks by kind. Raises HomeError if one can't be read: it may be the one that decides who may see the home."""
    found = {}
    for kind in KINDS:
        with suppress(FileNotFoundError, NotADirectoryError):
            found[kind] = _read(home, kind)
    return found


def _read(home: Home, kind: str) -> TaskOfHome:
    return read_record(home.tasks / f"{kind}.json", _FORMAT, TaskOfHome, _MOST_BYTES)
