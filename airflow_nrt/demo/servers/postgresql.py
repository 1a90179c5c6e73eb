"""A PostgreSQL in a process of its own, from the binaries of the distribution."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from airflow_nrt.basics.errors import InputError, NrtError
from airflow_nrt.demo.servers.ports import free_port

_USER = "postgres"
DATABASE = "app"
DEBIANS = Path("/usr/lib/postgresql")
"""Where Debian keeps its binaries, apart from PATH: VERSION/bin."""


def check_installed() -> None:
    """Raises InputError if this machine has no PostgreSQL."""
    for program in ("initdb", "pg_ctl", "psql"):
        _binary(program)


@dataclass
class PostgreSql:
    """A cluster below `place`, which has one user, `app`, and a database of that name.

    Without a `password` it asks for none. `environment` adds variables to its processes.
    """

    place: Path
    password: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)

    @property
    def url(self) -> str:
        return f"jdbc:postgresql://127.0.0.1:{self.port}/{DATABASE}"

    @property
    def pid(self) -> int | None:
        """The server's first process, if it runs."""
        file = self.place / "data" / "postmaster.pid"
        return int(file.read_text().splitlines()[0]) if file.is_file() else None

    def start(self) -> PostgreSql:
        """Returns when it answers. Raises InputError if this machine has none, NrtError if it does not start."""
        data = self.place / "data"
        if not data.is_dir():
            check_installed()
            self.place.mkdir(parents=True, exist_ok=True)
            if os.geteuid() == 0:
                # It refuses to run as root.
                shutil.chown(self.place, _USER)
            self._run("initdb", "-D", data, *self._authentication(), "-U", DATABASE, "--no-sync", "-E", "UTF8",
                      "--locale=C.UTF-8")  # fmt: skip
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.place} -c fsync=off"
        self._run("pg_ctl", "-D", data, "-w", "-l", self.place / "log", "-o", options, "start")
        if not self.query(f"SELECT 1 FROM pg_database WHERE datname = '{DATABASE}'", "postgres"):
            self.query(f"CREATE DATABASE {DATABASE}", "postgres")
        return self

    def stop(self, mode: str = "fast") -> None:
        self._run("pg_ctl", "-D", self.place / "data", "-m", mode, "stop")

    def query(self, sql: str, database: str = DATABASE) -> list[list[str]]:
        """The rows of a query as texts. Raises NrtError with what the database says if it refuses."""
        line = [str(_binary("psql")), "-h", "127.0.0.1", "-p", str(self.port), "-U", DATABASE, "-d", database]
        line += ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql]
        environment = {**os.environ, **self.environment, "PGPASSWORD": self.password}
        answer = subprocess.run(line, capture_output=True, text=True, check=False, env=environment)
        if answer.returncode:
            raise NrtError(f"PostgreSQL refused {sql}: {answer.stderr.strip()}")
        return [row.split("|") for row in answer.stdout.splitlines()]

    def _authentication(self) -> list[str]:
        if not self.password:
            return ["-A", "trust"]
        file = self.place / "password"
        file.touch(mode=0o600)
        file.write_text(self.password)
        if os.geteuid() == 0:
            shutil.chown(file, _USER)
        return ["-A", "scram-sha-256", f"--pwfile={file}"]

    def _open_way(self) -> None:
        """Lets its user reach its directory, which only root may enter."""
        above = self.place.parent
        above.chmod(above.stat().st_mode | 0o011)

    def _run(self, program: str, *arguments: object) -> None:
        line = [str(_binary(program)), *map(str, arguments)]
        if os.geteuid() == 0:
            line = ["runuser", "-u", _USER, "--", *line]
            self._open_way()
        log = self.place / "said"
        environment = {**os.environ, **self.environment}
        with open(log, "ab") as said:
            done = subprocess.run(line, stdout=said, stderr=said, check=False, cwd=self.place, env=environment)
        if done.returncode:
            raise NrtError(f"{program} of PostgreSQL ended with {done.returncode}:\n{log.read_text()[-2000:]}")


def _binary(name: str) -> Path:
    """Raises InputError if there is none."""
    found = sorted(DEBIANS.glob(f"*/bin/{name}")) or [Path(p) for p in [shutil.which(name)] if p]
    if not found:
        raise InputError("PostgreSQL is not on this machine: `apt-get install postgresql` installs it")
    return found[-1]
