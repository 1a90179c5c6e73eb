"""PostgreSQL in the place of the service `postgres`, whose image is not the product's: Debian's own."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

_SETTINGS = "-p 5432 -c listen_addresses=* -c fsync=off -c max_connections=200"


def binaries() -> Path | None:
    """The newest that this machine has."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


@contextlib.contextmanager
def postgres(place: Path) -> Iterator[None]:
    """On port 5432, with the user and the database of the composition; any password will do."""
    directory = binaries()
    assert directory is not None
    place.mkdir()
    shutil.chown(place, "postgres")
    for above in place.parents[:2]:
        above.chmod(above.stat().st_mode | 0o011)

    def run(*command: object) -> None:
        subprocess.run(["runuser", "-u", "postgres", "--", *map(str, command)], check=True, cwd="/", timeout=120)

    data = place / "data"
    run(directory / "initdb", "-D", data, "-A", "trust", "-U", "airflow", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8")
    with (data / "pg_hba.conf").open("a") as rules:
        rules.write("host all all 0.0.0.0/0 trust\n")
    control = (directory / "pg_ctl", "-D", data, "-w", "-l", place / "log")
    run(*control, "-o", f"{_SETTINGS} -c unix_socket_directories={place}", "start")
    try:
        run(directory / "createdb", "-h", place, "-U", "airflow", "airflow")
        yield
    finally:
        run(*control, "-m", "immediate", "stop")
