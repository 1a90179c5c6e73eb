"""The connection type `nrt`: where reports have their homes, and the Spark that runs their drivers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from airflow.providers.common.compat.sdk import AirflowNotFoundException
from airflow.sdk import BaseHook, Connection

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.masters import check_master
from airflow_nrt.home.home import Home
from airflow_nrt.home.names import below
from airflow_nrt.home.status import Status
from airflow_nrt.hooks.checked import check_connection
from airflow_nrt.launch.driver_environment import named_variables
from airflow_nrt.launch.living import living_status
from airflow_nrt.launch.submission import Cluster, Submission, driver_submission
from airflow_nrt.model.options.settings import NO_SETTINGS, Settings

DEFAULT_MASTER = "local[*]"
DEFAULT_CONNECTION = "nrt_default"


@dataclass(frozen=True)
class NrtSettings:
    """The fields of a connection; all empty without one."""

    home: str | None = None
    spark_conn_id: str | None = None
    master: str | None = None
    deploy_mode: str | None = None
    packages: str | None = None
    conf: Mapping[str, str] | None = None
    group: str | None = None
    environment: str | None = None
    masked_settings: str | None = None

    def __post_init__(self) -> None:
        if self.deploy_mode not in (None, "client", "cluster"):
            raise InputError(f"deploy_mode must be client or cluster, not {self.deploy_mode!r}")
        named_variables(self.environment)


class NrtHook(BaseHook):
    """Opens homes, reads their status, asks their drivers to stop, and knows how Spark is to run a driver.

    Without a connection, drivers run with `local[*]`, and every task names its home. There is no connection if
    `nrt_conn_id` is None, or if `nrt_default` is not defined. Any other id must be defined.

    :param nrt_conn_id: a connection of type `nrt`
    :param master: a Spark master, which wins over the connection's
    """

    conn_name_attr = "nrt_conn_id"
    default_conn_name = DEFAULT_CONNECTION
    conn_type = "nrt"
    hook_name = "Near-real-time reports"

    def __init__(self, nrt_conn_id: str | None = DEFAULT_CONNECTION, master: str | None = None) -> None:
        super().__init__()
        self.nrt_conn_id = nrt_conn_id
        self.master = master
        self._settings: NrtSettings | None = None

    def get_conn(self) -> NrtSettings:
        """The connection's fields, read once. Raises InputError if there is no such connection, or if it is invalid."""
        if self._settings is None:
            self._settings = self._read()
        return self._settings

    def test_connection(self) -> tuple[bool, str]:
        """Whether the connection can be used, and what was found, from this host and without Spark.

        Airflow may call it in the api-server, and disables that by default (`[core] test_connection`).
        """
        try:
            return check_connection(self.get_conn(), self.cluster())
        except InputError as wrong:
            return False, str(wrong)

    def _read(self) -> NrtSettings:
        if not self.nrt_conn_id:
            return NrtSettings()
        try:
            connection = _connection(self.nrt_conn_id, "nrt")
        except _NotDefined:
            if self.nrt_conn_id == DEFAULT_CONNECTION:
                return NrtSettings()
            raise
        if connection.conn_type != self.conn_type:
            raise InputError(f"the connection {self.nrt_conn_id!r} has the type {connection.conn_type!r}, not 'nrt'")
        fields = {key: value for key, value in connection.extra_dejson.items() if value not in (None, "")}
        known = NrtSettings.__dataclass_fields__
        conf = fields.pop("conf", None)
        return NrtSettings(
            **{key: str(value) for key, value in fields.items() if key in known}, conf=_settings_of(conf)
        )

    def home(self, location: str | None, report: str | None = None) -> Home:
        """The home at a location, existing or not; by default a report's own.

        A relative location starts at the connection's home, if it has one; an absolute one must then be below it, too.
        Raises InputError if neither gives a location, or if the location is invalid.
        """
        settings = self.get_conn()
        homes = settings.home
        chosen = location or (report if homes else None)
        if not chosen:
            raise InputError("no home is given: set `home`, or the field of that name in the connection")
        return Home.at(below(homes, chosen) if homes else chosen, settings.group)

    def status(self, location: str) -> Status:
        """The status of a report. Raises InputError if there is no home, HomeError if it can't be read."""
        return living_status(self._existing(location))

    def ask_to_stop(self, location: str) -> int:
        """Asks all drivers of a home to stop after their batch, also those that were launched and have not begun.

        Returns the newest epoch. Raises as `status`.
        """
        return self._existing(location).ask_to_stop()

    def _existing(self, location: str) -> Home:
        home = self.home(location)
        return Home.open(home.path, home.group)

    def cluster(self) -> Cluster:
        """Where drivers run. Raises InputError if a connection is unknown or invalid, or if there is no such master."""
        settings = self.get_conn()
        spark = _as_json(_connection(settings.spark_conn_id, "spark")) if settings.spark_conn_id else {}
        master = self.master or settings.master or _master_of(spark) or DEFAULT_MASTER
        check_master(master)
        extra = dict(spark.get("extra") or {})
        mode = settings.deploy_mode or extra.get("deploy-mode")
        if mode:
            extra["deploy-mode"] = mode
        connection = {**spark, "conn_type": "spark", "host": master, "port": None, "extra": extra}
        named = named_variables(settings.environment)
        return Cluster(connection, master, mode, settings.packages, settings.conf, named)

    def masked_settings(self) -> tuple[str, ...]:
        """Names of settings whose values are masked, for all reports with this connection."""
        return tuple((self.get_conn().masked_settings or "").replace(",", " ").split())

    def submission(
        self,
        home: Home,
        name: str,
        arguments: list[str],
        settings: Settings = NO_SETTINGS,
        jars: Iterable[str] = (),
    ) -> Submission:
        """How Spark is to run a driver of this home with these arguments and these jars.

        Raises InputError.
        """
        return driver_submission(self.cluster(), home, name, arguments, settings, jars)


class _NotDefined(InputError):
    """There is no connection of this id."""


def _connection(conn_id: str, conn_type: str) -> Connection:
    try:
        return BaseHook.get_connection(conn_id)
    except AirflowNotFoundException:
        raise _NotDefined(
            f"the connection {conn_id!r} is not defined: add it under Admin > Connections, or with "
            f"`airflow connections add {conn_id} --conn-type {conn_type}`"
        ) from None


def _as_json(connection: Connection) -> dict[str, Any]:
    names = ("conn_type", "host", "port", "schema", "login", "password")
    return {**{name: getattr(connection, name) for name in names}, "extra": connection.extra_dejson}


def _master_of(spark: Mapping[str, Any]) -> str | None:
    """The master of a Spark connection, as Spark's own hook builds it."""
    host, port = spark.get("host"), spark.get("port")
    if not host:
        return None
    kind = spark["conn_type"]
    address = host if kind == "spark" and ("://" in host or not port) else f"{kind}://{host}"
    return f"{address}:{port}" if port else str(address)


def _settings_of(text: Any) -> Mapping[str, str]:
    """Raises InputError unless these are Spark settings."""
    try:
        found = json.loads(text) if isinstance(text, str) else text or {}
        return {str(key): str(value) for key, value in found.items()}
    except (ValueError, AttributeError):
        # Without the value, because it may contain a password.
        raise InputError('conf must be a JSON object of Spark settings, as {"spark.executor.memory": "4g"}') from None
