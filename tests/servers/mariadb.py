"""A MariaDB in a process of its own, from the binaries of the distribution."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from airflow_nrt.demo.servers.ports import free_port
from tests.servers.installed import missing

_USER = "mysql"


@dataclass
class MariaDb:
    """A server below `place`, with the user `app` and a database of that name."""

    place: Path
    port: int = field(default_factory=free_port)
    _process: subprocess.Popen[bytes] | None = None
    programs: ClassVar = ("mariadbd", "mariadb-install-db", "mariadb")
    options: ClassVar[tuple[str, ...]] = ()
    how_to_install: ClassVar = "apt-get install mariadb-server"

    @property
    def url(self) -> str:
        return f"jdbc:mariadb://127.0.0.1:{self.port}/app"

    @property
    def _scratch(self) -> Path:
        """For its temporary tables: a server that starts removes those of all servers from a common directory."""
        return self.place / "tmp"

    def start(self) -> MariaDb:
        for program in self.programs:
            if shutil.which(program) is None:
                missing(f"no {program} here: {self.how_to_install}")
        data = self.place / "data"
        is_new = not data.is_dir()
        if is_new:
            for directory in (self.place, self._scratch):
                directory.mkdir(parents=True, exist_ok=True)
                if os.geteuid() == 0:
                    shutil.chown(directory, _USER)
            self._open_way()
            with open(self.place / "said", "ab") as said:
                install = [*self._install(), f"--datadir={data}", *self._user(), f"--tmpdir={self._scratch}"]
                done = subprocess.run(install, stdout=said, stderr=said, check=False)
            assert done.returncode == 0, (self.place / "said").read_text()[-2000:]
        self._open_way()
        with open(self.place / "log", "ab") as log:
            line = [
                self.programs[0],
                "--no-defaults",
                f"--datadir={data}",
                f"--port={self.port}",
                "--bind-address=127.0.0.1",
            ]
            line += [f"--socket={self.place}/s", *self._user(), "--innodb-flush-log-at-trx-commit=2"]
            line += [f"--tmpdir={self._scratch}", *self.options]
            self._process = subprocess.Popen(line, stdout=log, stderr=log)
        until = time.monotonic() + 60
        while self._client("SELECT 1").returncode:
            assert self._process.poll() is None and time.monotonic() < until, (self.place / "log").read_text()[-2000:]
            time.sleep(0.1)
        if is_new:
            self.query(
                "CREATE DATABASE app; CREATE USER app IDENTIFIED BY 'secret'; GRANT ALL ON app.* TO app", "mysql"
            )
        return self

    def _install(self) -> list[str]:
        """Makes the directory of its data, with a `root` who needs no password."""
        auth = "--auth-root-authentication-method=normal"
        return ["mariadb-install-db", "--no-defaults", auth, "--skip-test-db"]

    def _open_way(self) -> None:
        """Lets its user reach its directory: each pytest that starts closes the directory of all again."""
        if os.geteuid() == 0:
            for parent in self.place.parents[:-2]:
                parent.chmod(parent.stat().st_mode | 0o011)

    def stop(self, mode: str = "fast") -> None:
        """`immediate` as PostgreSQL's: nobody is waited for, and what was not committed is lost."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL if mode == "immediate" else signal.SIGTERM)
            self._process.wait(60)

    def query(self, sql: str, database: str = "app") -> list[list[str]]:
        """The rows of a query as texts."""
        answer = self._client(sql, database)
        assert answer.returncode == 0, answer.stderr
        return [row.split("\t") for row in answer.stdout.splitlines()]

    def _client(self, sql: str, database: str = "mysql") -> subprocess.CompletedProcess[str]:
        line = ["mariadb", "--no-defaults", f"--socket={self.place}/s", "-u", "root", "-N", "-B", database, "-e", sql]
        return subprocess.run(line, capture_output=True, text=True, check=False)

    def _user(self) -> list[str]:
        return [f"--user={_USER}"] if os.geteuid() == 0 else []
