"""The submission of a driver by `SparkSubmitHook`. It may hold secrets, so it goes to the launcher through a pipe."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.jars import with_jars
from airflow_nrt.basics.jvm_options import DEFAULT_JAVA_OPTIONS
from airflow_nrt.basics.spark_version import SPARK_VERSION
from airflow_nrt.home.home import Home
from airflow_nrt.launch.engine import place_engine
from airflow_nrt.model.options.settings import NO_SETTINGS, Settings

_PYTHON_RUNNER = "org.apache.spark.deploy.PythonRunner"


@dataclass(frozen=True)
class Cluster:
    """Where a driver runs: the Spark connection in Airflow's JSON form, and additions to it.

    `environment` names variables of the worker that its driver needs.
    """

    connection: Mapping[str, Any]
    master: str
    deploy_mode: str | None = None
    packages: str | None = None
    conf: Mapping[str, str] | None = None
    environment: Sequence[str] = ()

    @property
    def is_local(self) -> bool:
        return self.master.startswith("local")

    @property
    def is_standalone_cluster_mode(self) -> bool:
        return self.master.startswith("spark://") and self.deploy_mode == "cluster"


@dataclass(frozen=True)
class Submission:
    """`connection` is a Spark connection, `hook` the other arguments of `SparkSubmitHook`.

    `conf` are settings of Spark, `settings` those of the report (`Settings.to_json`); both are passed as files.
    `environment` names variables that this driver needs besides those that all drivers need.
    """

    connection: Mapping[str, Any]
    application: str
    hook: Mapping[str, Any]
    conf: Mapping[str, str] = field(default_factory=dict)
    settings: str = ""
    environment: Sequence[str] = ()

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    def connection_extra(self, key: str) -> str | None:
        """A field of the Spark connection's extra."""
        value: str | None = (self.connection.get("extra") or {}).get(key)
        return value

    def rest_address(self) -> str:
        """The REST address at which a standalone master reports its drivers."""
        host = str(self.connection["host"]).removeprefix("spark://").split(",", 1)[0].rsplit(":", 1)[0]
        scheme, port = self.connection_extra("rest-scheme") or "http", self.connection_extra("rest-port") or "6066"
        return f"{scheme}://{host}:{port}"

    @classmethod
    def from_json(cls, text: str) -> Submission:
        """Raises ValueError for an incomplete submission."""
        try:
            return cls(**json.loads(text))
        except TypeError as wrong:
            raise ValueError(str(wrong)) from None


def driver_submission(
    cluster: Cluster,
    home: Home,
    name: str,
    arguments: list[str],
    settings: Settings = NO_SETTINGS,
    jars: Iterable[str] = (),
) -> Submission:
    """The submission of a driver with these arguments, and `--home`, for the home's report.

    `jars` are names of `basics/jars.py`. Raises InputError if one is neither here nor in the cluster's settings.
    """
    application, package = (str(path) for path in place_engine(home))
    arguments = [*arguments, "--home", str(home.path)]
    if home.group is not None:
        arguments += ["--group", home.group]
    hook: dict[str, Any] = {"name": f"airflow-nrt: {name}"}
    conf = {**DEFAULT_JAVA_OPTIONS, **with_jars(cluster.conf or {}, jars, cluster.packages or "")}
    if cluster.packages:
        hook["packages"] = cluster.packages
    if cluster.is_standalone_cluster_mode:
        # Standalone masters refuse Python in cluster mode, so the application is Spark's own runner of Python files.
        hook["java_class"] = _PYTHON_RUNNER
        conf = {**conf, "spark.submit.pyFiles": package, "spark.files": package}
        arguments = [application, package, *arguments]
        application = str(_spark_core())
    else:
        hook["py_files"] = package
    if cluster.is_local:
        arguments = [*arguments, "--master", cluster.master]
        conf.setdefault("spark.driver.memory", "2g")
    hook["application_args"] = arguments
    return Submission(cluster.connection, application, hook, conf, settings.to_json(), list(cluster.environment))


def _spark_core() -> Path:
    """Spark's core jar, at its path, which is the same on the workers. Raises InputError if there is no Spark."""
    spec = find_spec("pyspark")
    homes = [Path(os.environ["SPARK_HOME"])] if "SPARK_HOME" in os.environ else []
    homes += [Path(spec.origin).parent] if spec is not None and spec.origin else []
    for home in homes:
        jar = next(home.glob("jars/spark-core_*.jar"), None)
        if jar is not None:
            return jar
    raise InputError(f"Spark is not here: set SPARK_HOME, or pip install pyspark=={SPARK_VERSION}")
