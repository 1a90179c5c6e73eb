"""The home of a report: one directory with everything durable about it.

report.json      whose home this is (`identity.py`)
outline.json     what its results look like (`outline.py`)
log/<n>.json     the only truth (`log.py`)
checkpoints/     what many entries say, so that nobody reads them again to go on
state/           partials of the operators
staged/          results that an entry decides about, before they are published
ledger/          late and rejected rows, a directory a commit
heartbeats/      each driver's sign of life, <epoch>.json, replaced by rename
driver.log       what the driver printed
stop             exists while somebody asks the driver to stop
launches/        who launched a driver, what it was given, why it could not begin
scratch/         an epoch's own things, gone with it
schemas/         those of a registry by which records of topics were read
versions/        rows of windows that a restatement has replaced, and those that a person has set
notes/           what is there for people to look at (`notes/`)
generations/     the same of a report that was changed (`generations.py`)
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

from airflow_nrt import __version__
from airflow_nrt.basics.errors import ChangedReportError, HomeError, InputError
from airflow_nrt.basics.nearest import nearest_file
from airflow_nrt.describe.overlaps import check_places
from airflow_nrt.files.durable import is_aside
from airflow_nrt.files.file_numbers import number_of
from airflow_nrt.files.formats import Format
from airflow_nrt.home.changes.comparison import Comparison
from airflow_nrt.home.changes.of_home import Differences, compared_with_home, differences_of_home, listed
from airflow_nrt.home.directories import PARTS, check_directories, make_directories
from airflow_nrt.home.generations import FIRST, generation_that_counts, place_of
from airflow_nrt.home.identity.additions import Additions
from airflow_nrt.home.identity.identity import Identity
from airflow_nrt.home.identity.older_defaults import with_older_defaults
from airflow_nrt.home.identity.semantics import changed_semantics
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.names import check_name
from airflow_nrt.home.outline import Outline
from airflow_nrt.home.store.posix import PosixStore
from airflow_nrt.home.store.records import read_record, record_bytes
from airflow_nrt.home.store.store import Store
from airflow_nrt.home.store.store_path import StorePath
from airflow_nrt.home.surroundings import check_surroundings, warn_of_surroundings
from airflow_nrt.model.options.known import TIME_ZONE
from airflow_nrt.model.options.settings import Settings
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.zones import foreign_zone, read_zone

_REPORT_FILE, _OUTLINE_FILE = "report.json", "outline.json"
_LAYOUT = frozenset({*PARTS, "driver.log", "stop", _REPORT_FILE, _OUTLINE_FILE})
"""What may exist before report.json does: a home in creation, or files of a launch that failed before it."""

_STOP = Format("the stop request")
_MOST_BYTES_OF_STOP = 1024 * 1024


@dataclass(frozen=True)
class StopRequest:
    """A request to all drivers up to this epoch, and up to this launch."""

    epoch: int
    launch: int = 0


Replan: TypeAlias = "Callable[[Home, Settings], Plan]"
"""Plans the report of a home; the settings have the values that are masked there."""


class Home:
    """The layout of a home; `open` and `create` check it. `group` is the group that shares it, by name or id, and
    `store` holds its files; default: the file system.

    All is of one `generation`, but for what launches a driver, and for the notes of tasks.
    """

    def __init__(
        self, path: Path, group: str | None = None, store: Store | None = None, generation: int = FIRST
    ) -> None:
        self.path = path
        self.group = group
        self.generation = generation
        base = StorePath(PosixStore(path) if store is None else store)
        root = base if generation == FIRST else StorePath(PosixStore(path / place_of(generation)))
        self.base = base
        self.root = root
        self.log_directory = root / "log"
        self.state = root / "state"
        self.staged = root / "staged"
        self.ledger = root / "ledger"
        self.scratch = root / "scratch"
        self.dimensions = root / "dimensions"
        self.schemas = root / "schemas"
        self.versions = root / "versions"
        self.report_file = root / _REPORT_FILE
        self.outline_file = root / _OUTLINE_FILE
        self.heartbeats = root / "heartbeats"
        self.driver_log = base / "driver.log"
        self.stop_file = root / "stop"
        self.launches = base / "launches"
        self.notes = root / "notes"
        self.samples = self.notes / "samples"
        self.verdicts = self.notes / "verdicts"
        self.tasks = base / "notes" / "tasks"
        self.supervisors = base / "notes" / "supervisors"
        self.followers = self.notes / "followers"
        self.unusable = self.notes / "unusable.json"
        self.nulled = self.notes / "nulled.json"
        self.left_out = self.notes / "left_out.json"
        self.limits = self.notes / "limits.json"
        self.unread = self.notes / "unread.json"
        self.first_windows = self.notes / "first_windows.json"

    @property
    def directory(self) -> Path:
        """Where its generation lies, for Spark. Raises HomeError if its store is on no file system."""
        return self.root.local

    @classmethod
    def at(cls, location: str | Path, group: str | None = None) -> Home:
        """The home at a location, existing or not, with the generation that counts.

        Raises InputError for an unsupported scheme, a name that no home can have, or an unknown group, and HomeError
        for a directory that is not trusted.
        """
        text = str(location)
        check_name(text)
        scheme, separator, rest = text.partition("://")
        if separator and scheme != "file":
            raise InputError(f"a home can't be on {scheme}:// yet: put it on a POSIX file system ({text})")
        home = cls(Path(rest if separator else text).absolute(), group)
        check_directories(home.path, group)
        return home.of_generation(generation_that_counts(home.base))

    def of_generation(self, generation: int) -> Home:
        """Another generation of it. Raises HomeError for a directory that is not trusted."""
        if generation == self.generation:
            return self
        found = Home(self.path, self.group, generation=generation)
        check_directories(found.root.local, self.group)
        return found

    @classmethod
    def open(cls, location: str | Path, group: str | None = None) -> Home:
        """An existing home. Raises InputError if there is none, HomeError if it can't be read, and as `at`."""
        home = cls.at(location, group)
        if not home.report_file.exists():
            raise InputError(f"{home.path} is no home of a report: it has no report.json{nearest_file(home.path)}")
        home.identity()
        return home

    @classmethod
    def create(cls, location: str | Path, plan: Plan, replan: Replan | None = None, group: str | None = None) -> Home:
        """The home of this report, created if it is not there yet.

        Raises InputError if it belongs to another report, or to this one with other results (see `additions`), and
        if the report would read what it writes; and as `at`.
        """
        home = cls.checked(location, plan, replan, group)
        if not home.report_file.exists():
            home.make(plan)
        # Another process may have created it meanwhile, for another report.
        if not home.additions(plan, replan):
            home.keep_outline(plan)
        return home

    @classmethod
    def checked(cls, location: str | Path, plan: Plan, replan: Replan | None = None, group: str | None = None) -> Home:
        """The home that this report has or can have there. Writes nothing; raises as `create` does."""
        check_name(plan.name, "report")
        home = cls.at(location, group)
        check_places(plan, home.path)
        if home.report_file.exists():
            home.additions(plan, replan)
            warn_of_surroundings(home.path, group)
        elif home.path.is_dir() and any(not is_of_a_home(entry.name) for entry in home.path.iterdir()):
            raise InputError(f"{home.path} is not empty and no home of a report: choose another directory")
        else:
            check_surroundings(home.path, group)
        return home

    def make(self, plan: Plan) -> None:
        """Makes it for this report, unless another process is faster."""
        make_directories(self.root.local, self.group)
        self.report_file.put_if_absent(Identity.of(plan, self.launches.local).to_bytes())

    def keep_outline(self, plan: Plan) -> None:
        """Writes what its results look like.

        An older home has none, a broken outline stops no report, and the report may write to another directory now.
        """
        outline, kept = Outline.of(plan), None
        with contextlib.suppress(HomeError):
            kept = self.outline()
        if kept != outline:
            self.outline_file.replace(outline.to_bytes())

    def outline(self) -> Outline | None:
        """The content of outline.json, None where an older version made the home. Raises HomeError."""
        return Outline.read(self.outline_file)

    def identity(self) -> Identity:
        """The content of report.json. Raises HomeError if it can't be read."""
        return Identity.read(self.report_file)

    def as_it_runs(self, plan: Plan) -> Plan:
        """The plan with the defaults that the home was made with. Raises HomeError if report.json can't be read."""
        return with_older_defaults(plan, self.identity().knows) if self.report_file.exists() else plan

    @property
    def zone(self) -> str | None:
        """The zone of the report's clock, None for UTC. Raises HomeError if report.json can't be read."""
        try:
            return foreign_zone(read_zone(self.identity().fingerprint.get(f"setting {TIME_ZONE}", "UTC")))
        except ValueError:
            # Made when the option was not read yet: no window of such a home depends on it.
            return None

    def check_report(self, plan: Plan, replan: Replan | None = None) -> None:
        """Raises InputError unless the report of the home computes the same, and has all inserts of this one."""
        added = self.additions(plan, replan)
        if added:
            raise InputError(
                f"the home {self.path} does not know of {', '.join(added)} yet: start the stream of the changed report "
                "first, which fills new tables (airflow-nrt run)"
            )

    def accept(self, plan: Plan, replan: Replan | None = None) -> None:
        """Makes the report with its additions the report of the home, on behalf of a driver that has the lease.

        Raises InputError as `additions` does.
        """
        added = self.additions(plan, replan)
        if added or self._lacks_rejected_table(plan, replan):
            # Readers look at the outline again when the report is another one.
            self.keep_outline(plan)
            identity = self.identity().with_added(plan, self.launches.local, added)
            self.report_file.replace(identity.to_bytes())

    def _lacks_rejected_table(self, plan: Plan, replan: Replan | None) -> bool:
        """Whether the home would not give up the tables of rejected rows of this plan with its own."""
        if replan is None or len(plan.written) == len(plan.inserts):
            return False
        made_for = replan(self, plan.given.masking(self.identity().masks.hashes))
        return {one.name for one in plan.written} > {one.name for one in made_for.written}

    def additions(self, plan: Plan, replan: Replan | None = None) -> Additions:
        """The inserts that the report of the home lacks, each with the one from whose table its table can be filled.

        Raises InputError unless the home was created for a report that computes the same in all other inserts.

        `replan` plans the report of the home again: one planner plans both reports, so that a change of the planner is
        no change of the report. Without it, the fingerprint in the home is compared.
        """
        identity = self._identity_of(plan)
        differences = self._differences(identity, plan, replan)
        if differences.sentences:
            raise ChangedReportError(
                f"the report {plan.name!r} computes something else than when its home {self.path} was made:\n"
                f"{differences.text}",
                f"Ways out: {self._way_to_change()}, or undo the change.",
            )
        changes = changed_semantics(identity.operators, plan)
        if changes:
            raise ChangedReportError(
                f"airflow-nrt {__version__} can't go on with the home {self.path}, which version {identity.version} "
                f"made:\n{listed(changes)}",
                "Ways out: start the report in a new home (and backfill it), or go on with that version.",
            )
        return differences.added

    def comparison(self, plan: Plan, replan: Replan) -> tuple[Comparison, Plan]:
        """The report compared with that of the home, insert by insert, and the latter's plan.

        Raises InputError if the latter can't be planned, and for the home of another report.
        """
        identity = self._identity_of(plan)
        differences = self._differences(identity, plan, replan)
        made_for = differences.made_for or self._planned_again(replan, plan.given.masking(identity.masks.hashes))
        return compared_with_home(identity, made_for, plan, differences.sentences), made_for

    def _way_to_change(self) -> str:
        if any(state.rows for state in self.log().position().sources.values()):
            return (
                "let a driver compute the changed report beside the one that counts, until it takes its place "
                "(--on-change rebuild), start it in a new home, with other tables for its results"
            )
        return f"give up this home, which has read nothing yet (`airflow-nrt forget --home {self.path} --yes`)"

    def _identity_of(self, plan: Plan) -> Identity:
        identity = self.identity()
        if identity.name != plan.name:
            raise InputError(
                f"{self.path} is the home of the report {identity.name!r}, not of {plan.name!r}: "
                "give each report its own home"
            )
        return identity

    def _differences(self, identity: Identity, plan: Plan, replan: Replan | None) -> Differences:
        again = None if replan is None else partial(self._planned_again, replan)
        return differences_of_home(identity, plan, again)

    def _planned_again(self, replan: Replan, given: Settings) -> Plan:
        try:
            return replan(self, given)
        except InputError as wrong:
            raise InputError(f"the report that the home {self.path} was made for can't be planned: {wrong}") from None

    # ------------------------------------------------------------------ asking a driver to stop

    def newest_launch(self) -> int:
        """The number of the newest launch (`launches/<n>.launch`), 0 if there was none."""
        numbers = (number_of(path.stem) for path in self.launches.below(".launch"))
        return max((number for number in numbers if number is not None), default=0)

    def ask_to_stop(self) -> int:
        """Asks all drivers that hold a lease or were launched until now to stop after their batch; gives the newest
        epoch.

        A driver that was launched and has no lease yet stops when it has begun. Later drivers are not affected.
        """
        asked = StopRequest(self.log().epoch(), self.newest_launch())
        self.stop_file.replace(record_bytes(_STOP, asked))
        return asked.epoch

    def is_stop_asked(self, epoch: int, launch: str = "") -> bool:
        """Whether the driver of this epoch (0: it has no lease), or of this launch, was asked to stop."""
        try:
            asked = read_record(self.stop_file, _STOP, StopRequest, _MOST_BYTES_OF_STOP)
        except FileNotFoundError:
            return False
        number = number_of(launch)
        return 0 < epoch <= asked.epoch or (number is not None and number <= asked.launch)

    def drop_stop_request(self, epoch: int, launch: str = "") -> None:
        """Removes a request that was for older drivers than that of this epoch and launch."""
        if self.stop_file.exists() and not self.is_stop_asked(epoch, launch):
            self.stop_file.delete()

    def log(self) -> Log:
        """Raises HomeError if the home has no log."""
        if not self.log_directory.exists():
            raise HomeError(
                f"the home {self.path} has no log directory: `airflow-nrt forget` removes what is left of it"
            )
        return Log(self.log_directory)


def is_of_a_home(name: str) -> bool:
    """Whether a home can have this in its directory."""
    # Another process may be creating it at this moment, or may have died doing so.
    return name in _LAYOUT or any(is_aside(name, of) for of in _LAYOUT)
