"""The page over made homes, for looking at it.

python -m tests.page.serve [--reports 50] [--windows 10000] [--port N] [--homes DIR]

The real app in a bare server: everybody is an administrator, and the DAGs that homes name are known but can't run.
"""

from __future__ import annotations

import argparse
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from tests.page.lab import airflow_database, know_dags
from tests.page.made_homes import make_homes

from airflow.api_fastapi.app import create_auth_manager  # isort: skip
from airflow.api_fastapi.auth.managers.simple.user import SimpleAuthManagerUser
from airflow.api_fastapi.core_api.security import get_user
from fastapi import FastAPI

from airflow_nrt.page.app import build_app
from airflow_nrt.page.homes.places import Root
from airflow_nrt.page.mounted import PREFIX

DAGS = [name for n in range(10) for name in (f"dag_{n}", f"dag_{n}_nightly")]
"""Those that `make_homes` names."""


def served(root: Path) -> FastAPI:
    """The app under its prefix, with an administrator who has not logged in."""
    create_auth_manager()
    app = build_app(lambda: [Root(str(root), "nrt_default")])
    app.dependency_overrides[get_user] = lambda: SimpleAuthManagerUser(username="looker", role="admin")
    server = FastAPI()
    server.mount(PREFIX, app)
    return server


@contextmanager
def serving(root: Path) -> Iterator[str]:
    """The app over the homes below `root`, on a free port as long as the context lasts; gives its address."""
    airflow_database()
    know_dags(*DAGS)
    door = socket.socket()
    door.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(served(root), log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, args=([door],), daemon=True)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{door.getsockname()[1]}{PREFIX}/"
    finally:
        server.should_exit = True
        thread.join(10)
        door.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reports", type=int, default=50)
    parser.add_argument("--windows", type=int, default=10_000, help="of the first report")
    parser.add_argument("--port", type=int, default=8090)
    parser.add_argument("--homes", type=Path, help="a directory that has homes already, or gets them")
    options = parser.parse_args()
    root = options.homes or Path(tempfile.mkdtemp(prefix="nrt-page-"))
    airflow_database()
    know_dags(*DAGS)
    if not root.is_dir() or not any(root.iterdir()):
        for made in make_homes(root, options.reports, options.windows):
            print(made.home.path, flush=True)
    uvicorn.run(served(root), host="127.0.0.1", port=options.port, log_level="warning")


if __name__ == "__main__":
    main()
