"""Shared code of the operators: the report file, the connection, and how errors end a task."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ClassVar

from airflow.sdk import BaseOperator, BaseOperatorLink

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.masters import check_master
from airflow_nrt.links.report import NrtReportLink, links_of, push_links
from airflow_nrt.model.options.on_change import OnChange
from airflow_nrt.operators.connection import DEFAULT_CONNECTION, connection_named
from airflow_nrt.operators.literal_parameters import check_literal
from airflow_nrt.operators.messages.ending import ending_the_task
from airflow_nrt.operators.planning import PLANNING_SECONDS, Planner
from airflow_nrt.usecases.requests.facts import FactsRequest, LineageRequest, PlannedReport
from airflow_nrt.usecases.requests.report import ReportRequest

if TYPE_CHECKING:
    # Imports that only a running task needs are in its methods, so that a DAG file parses in milliseconds.
    from airflow.providers.openlineage.extractors import OperatorLineage
    from airflow.sdk import Context
    from jinja2 import Environment

    from airflow_nrt.describe.lineage import Lineage
    from airflow_nrt.home.home import Home
    from airflow_nrt.hooks.nrt import NrtHook
    from airflow_nrt.model.options.settings import Settings
    from airflow_nrt.program.inline import InlineReport
    from airflow_nrt.program.program import Program


class NrtBaseOperator(BaseOperator):
    """A task about one report.

    :param report: (templated) a script `report.sql`, a program `report.py`, `package.module:function` that builds a
        report, or a function of the DAG file, as for `@task.nrt_report`; a relative path starts at the DAG file's
        directory
    :param home: (templated) the report's home. If the connection has a `home`, a relative path starts there, an
        absolute one must be below it, and the default is the report's name there
    :param settings: (templated) values of `${KEY}` placeholders, options, and settings of Spark that can't choose code,
        options of Java, paths or addresses. In a template, a value of the run may be a name, a segment of a path, a
        number or a secret
    :param masked_settings: names of settings whose values must not be readable in a log or in the home, in addition to
        names like those of secrets (password, secret, token, key, credential)
    :param unsafe_settings: names of placeholders that may be any piece of SQL, and any place; the value of any other
        placeholder is one piece of text
    :param nrt_conn_id: (templated) a connection of type `nrt`. Without one (None, an empty text, or an undefined
        `nrt_default`) Spark runs as `local[*]`, and the task names its home
    :param conn_id: deprecated name of `nrt_conn_id`
    :param master: (templated) a Spark master, which wins over the connection's
    :param planning_timeout: seconds within which the report must be planned, its imports included
    :rendered sql: the text of the report with its placeholders; cut at `[core] max_templated_field_length` characters
    """

    template_fields: Sequence[str] = ("report", "home", "settings", "nrt_conn_id", "master", "sql")
    template_fields_renderers: ClassVar[dict[str, str]] = {"sql": "sql"}
    operator_extra_links: Collection[BaseOperatorLink] = (NrtReportLink(),)
    ui_color = "#e4f2ec"

    def __init__(
        self,
        *,
        report: str | Callable[..., Any],
        home: str | None = None,
        settings: Mapping[str, str] | None = None,
        masked_settings: Sequence[str] = (),
        unsafe_settings: Sequence[str] = (),
        nrt_conn_id: str | None = DEFAULT_CONNECTION,
        conn_id: str | None = None,
        master: str | None = None,
        planning_timeout: float = PLANNING_SECONDS,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_literal("master", master, check_master)
        self._inline = _inline(report) if callable(report) else None
        self.report = report.__name__ if callable(report) else report
        self._directory: Path | None = None
        self.home = home
        self.settings = settings
        self._settings_of_run: set[str] = set()
        self._is_rendered = False
        # The fields of a mapped task are rendered without `render_template_fields`.
        self._written = {"settings": settings, "report": self.report, "home": home, "master": master}
        self.masked_settings = _names("masked_settings", masked_settings)
        self.unsafe_settings = _names("unsafe_settings", unsafe_settings)
        self.nrt_conn_id = connection_named(nrt_conn_id, conn_id)
        self.master = master
        self.planning_timeout = planning_timeout
        self.sql: str | None = None
        self._hook: NrtHook | None = None
        self._links: dict[str, str] = {}

    @property
    def hook(self) -> NrtHook:
        """The hook of the connection and the master, which templates change; it reads its connection once."""
        from airflow_nrt.hooks.nrt import NrtHook

        known = self._hook
        if known is None or (known.nrt_conn_id, known.master) != (self.nrt_conn_id, self.master):
            known = self._hook = NrtHook(self.nrt_conn_id, self.master)
        return known

    @property
    def links(self) -> Mapping[str, str]:
        """The targets of the task's extra links, by XCom key; empty until the task knows its home."""
        return self._links

    def keep_links(self, home: Home, spark: str = "") -> None:
        """Set in each phase in a worker, because Airflow asks for the links when a phase ends, and writes the
        answer."""
        self._links = links_of(home, spark)

    def show_home(self, context: Context, home: Home, spark: str = "") -> None:
        """Logs the home, and makes its links visible. `spark` is as in `links_of`."""
        self.keep_links(home, spark)
        self.log.info("home %s", home.path)
        push_links(self._links, context["ti"])

    def report_file(self) -> Path:
        """The report's absolute path."""
        return self._near() / self.report

    def program(self) -> Program | None:
        """The report, if it is a program. Nothing of it is imported. Raises InputError if it is missing."""
        from airflow_nrt.program.program import program_of

        if self._inline is not None:
            assert self._directory is not None
            return self._inline.write(self._near(), self._directory)
        return program_of(self.report, self._near())

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Ends the task as `ending_the_task` does. Inside, an inline report has a directory for its file."""
        with TemporaryDirectory(prefix="airflow-nrt-") as directory, ending_the_task(self.log):
            self._directory = Path(directory)
            yield

    def render_template_fields(self, context: Context, jinja_env: Environment | None = None) -> None:
        # A report is no template: only its placeholders are filled in.
        self.sql = None
        self._settings_of_run |= self._names_of_run(self.settings)
        if not self._is_rendered:
            self._written = {name: getattr(self, name) for name in self._written}
            self._is_rendered = True
        super().render_template_fields(context, jinja_env)
        self.sql = self._shown()
        # Before Airflow shows the rendered fields.
        if isinstance(self.settings, Mapping):
            _hide(self._given(self.masked_settings))
            with suppress(InputError):
                _hide(self._given(self.hook.masked_settings()))

    def _shown(self) -> str | None:
        from airflow_nrt.operators.messages.report_text import shown_report, shown_text

        if self._inline is None:
            with suppress(InputError):
                self._check_places()
                return shown_report(str(self.report), self._near())
            return None
        dag = self.get_dag()
        return shown_text(self._inline.text, dag.fileloc if dag is not None else "the DAG file")

    def _near(self) -> Path:
        dag = self.get_dag()
        return Path(dag.fileloc).absolute().parent if dag is not None else Path.cwd()

    def report_settings(self) -> Settings:
        """The settings of the report, with what Airflow keeps for its placeholders.

        Raises InputError for a setting of Spark that a task may not give, for a place that a run has chosen, and for a
        missing connection or variable.
        """
        from airflow_nrt.operators.spark_settings import check_spark_settings

        self._check_places()
        given = self._given((*self.masked_settings, *self.hook.masked_settings()))
        check_spark_settings(dict(given.values))
        given = replace(given, values=tuple({**self._stored(), **dict(given.values)}.items()))
        _hide(given)
        return given

    def _given(self, masked: tuple[str, ...]) -> Settings:
        from airflow_nrt.model.options.settings import Settings

        values = tuple((str(key), str(value)) for key, value in (self.settings or {}).items())
        of_run = self._settings_of_run | self._names_of_run(self._written["settings"])
        return Settings(values, masked, self.unsafe_settings, tuple(sorted(of_run)))

    def _names_of_run(self, written: Any) -> set[str]:
        from airflow_nrt.operators.values_of_run import expanded, names_of_run

        rendered = map(str, self.settings if isinstance(self.settings, Mapping) else ())
        return names_of_run((written, *expanded(self, "settings")), rendered, self.get_template_env())

    def _check_places(self) -> None:
        """Raises InputError for a place that a run has chosen."""
        from airflow_nrt.operators.values_of_run import check_place, check_server, expanded

        environment = self.get_template_env()
        for field in ("report", "home"):
            written = (self._written[field], *expanded(self, field))
            check_place(field, written, getattr(self, field), environment)
        check_server((self._written["master"], *expanded(self, "master")), self.master, environment)

    def _stored(self) -> dict[str, str]:
        """The values that Airflow keeps for placeholders of the report, if that is a script."""
        from airflow_nrt.operators.stored_values import stored_values

        if self._inline is not None or not str(self.report).endswith(".sql"):
            return {}
        try:
            script = self.report_file().read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            # Planning says what is wrong with the file.
            return {}
        return stored_values(script)

    def takes(self) -> tuple[str, ...]:
        """What a DAG run may ask of this task (`RunOverrides`)."""
        return ()

    def does(self) -> str:
        """What a backfill does with the windows of a run (`TaskOfHome`)."""
        return ""

    def note_in(self, home: Home, kind: str) -> None:
        """Notes this task in the home as the last one of its kind. Raises HomeError if the home can't be written."""
        from airflow_nrt.basics.errors import HomeError
        from airflow_nrt.home.notes.tasks import TaskOfHome, note_task

        if self.get_dag() is None:
            return
        try:
            note_task(home, kind, TaskOfHome(self.dag_id, self.task_id, self.takes(), self.does()))
        except OSError as wrong:
            raise HomeError(f"the home {home.path} can't be written: {wrong}") from None

    def planned(self, home: Home | None = None, on_change: OnChange = OnChange.FAIL) -> PlannedReport:
        """The facts of the report, which is checked; with `home`, the home is created if it is missing, and checked to
        be its own, or one in whose place the report can come.

        Raises InputError, and NrtError if it takes too long.
        """
        report = self.report_request()
        request = FactsRequest(report, on_change=on_change)
        if home is not None:
            request = replace(request, home=str(home.path), group=home.group)
        return self._planner(report.settings).facts(request)

    def traced(self) -> Lineage:
        """The lineage of the report. Raises as `planned` does."""
        report = self.report_request()
        return self._planner(report.settings).lineage(LineageRequest(report))

    def report_request(self) -> ReportRequest:
        """The report, with its settings. Raises InputError as `report_settings` and `program` do."""
        given = self.report_settings()
        base = self._near() if self._inline is not None else None
        return ReportRequest(str(self.program() or self.report_file()), given, base)

    def _planner(self, given: Settings) -> Planner:
        from airflow_nrt.launch.driver_environment import named_variables, needed_environment

        environment = needed_environment(named_variables(self.hook.get_conn().environment))
        return Planner(environment, self.planning_timeout, lambda line: self.log.info("%s", given.shown(line)))

    def get_openlineage_facets_on_complete(self, task_instance: Any) -> OperatorLineage[Any, Any] | None:
        """The lineage for OpenLineage's listener, if its provider is installed and enabled.

        None, with a warning, if it can't be found out.
        """
        from airflow_nrt.operators.lineage import facets

        try:
            with self.at_work():
                return facets(self.traced())
        except Exception as wrong:
            self.log.warning("there is no lineage of %s: %s", self.report, wrong)
            return None


def _names(parameter: str, names: Sequence[str]) -> tuple[str, ...]:
    """Raises ValueError for a single text, because each of its letters would be a name, and nothing would be masked."""
    if isinstance(names, str):
        raise ValueError(f"{parameter} is a list of names: write {parameter}=[{names!r}]")
    return tuple(names)


def _hide(given: Settings) -> None:
    """Airflow masks these values in all that this task logs or shows."""
    from airflow.sdk.log import mask_secret

    for value in given.confidential.values():
        mask_secret(value)


def _inline(report: Callable[..., Any]) -> InlineReport:
    from airflow_nrt.program.inline import inline_report

    # The function of a decorated task is inside of it.
    return inline_report(getattr(report, "function", report))
