"""A PostgreSQL in a process of its own, from the binaries of the distribution."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from tests.servers.installed import missing
from tests.servers.ports import free_port

_USER = "postgres"


@dataclass
class PostgreSql:
    """A cluster below `place`, which has one user, `app`, and a database of that name."""

    place: Path
    port: int = field(default_factory=free_port)

    @property
    def url(self) -> str:
        return f"jdbc:postgresql://127.0.0.1:{self.port}/app"

    def start(self) -> PostgreSql:
        data = self.place / "data"
        if not data.is_dir():
            self.place.mkdir(parents=True, exist_ok=True)
            if os.geteuid() == 0:
                # It refuses to run as root.
                shutil.chown(self.place, _USER)
            self._run("initdb", "-D", data, "-A", "trust", "-U", "app", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8")
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.place} -c fsync=off"
        self._run("pg_ctl", "-D", data, "-w", "-l", self.place / "log", "-o", options, "start")
        if not self.query("SELECT 1 FROM pg_database WHERE datname = 'app'"):
            self.query("CREATE DATABASE app")
        return self

    def stop(self, mode: str = "fast") -> None:
        self._run("pg_ctl", "-D", self.place / "data", "-m", mode, "stop")

    def query(self, sql: str, database: str = "app") -> list[list[str]]:
        """The rows of a query as texts."""
        database = "postgres" if "DATABASE app" in sql or "pg_database" in sql else database
        line = [
            "psql",
            "-h",
            "127.0.0.1",
            "-p",
            str(self.port),
            "-U",
            "app",
            "-d",
            database,
            "-At",
            "-v",
            "ON_ERROR_STOP=1",
        ]
        answer = subprocess.run([*line, "-c", sql], capture_output=True, text=True, check=False)
        assert answer.returncode == 0, answer.stderr
        return [row.split("|") for row in answer.stdout.splitlines()]

    def _run(self, program: str, *arguments: object) -> None:
        line = [str(_binary(program)), *map(str, arguments)]
        if os.geteuid() == 0:
            line = ["runuser", "-u", _USER, "--", *line]
            # Each pytest that starts closes the directory of all again.
            for parent in self.place.parents[:-2]:
                parent.chmod(parent.stat().st_mode | 0o011)
        log = self.place / "said"
        with open(log, "ab") as said:
            done = subprocess.run(line, stdout=said, stderr=said, check=False, cwd=self.place)
        assert done.returncode == 0, log.read_text()[-2000:]


def _binary(name: str) -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}")) or [Path(p) for p in [shutil.which(name)] if p]
    if not found:
        missing("no PostgreSQL here: apt-get install postgresql")
    return found[-1]
