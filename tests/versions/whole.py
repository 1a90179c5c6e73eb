"""Run by the Python of another Airflow: imports all of the package, and runs a report there. Prints what it found.

python -I whole.py DAGS PLACE
"""

from __future__ import annotations

import contextlib
import importlib
import json
import logging
import os
import pkgutil
import shutil
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

TEXTS: list[str] = []
"""What the notifier has posted."""
WINDOWS = {"start": "2024-06-18T10:00:00", "end": "2024-06-18T10:00:20"}
ROWS = "".join(f"shop,{n}.50,2024-06-18 10:00:{n:02}\n" for n in range(40))


def failed_imports() -> dict[str, str]:
    """The modules that this Airflow can't import, each with the last line of why."""
    import airflow_nrt

    failed: dict[str, str] = {}
    for module in pkgutil.walk_packages(airflow_nrt.__path__, "airflow_nrt.", lambda name: None):
        if "demo.dags" in module.name:
            continue
        try:
            importlib.import_module(module.name)
        except ImportError as wrong:
            failed[module.name] = str(wrong)
    return failed


class Hook(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        TEXTS.append(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["text"])
        self.send_response(200)
        self.end_headers()

    def log_message(self, *words: object) -> None:
        pass


@contextlib.contextmanager
def web_hook() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Hook) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/hook"
        server.shutdown()


def furnished(dags: Path, place: Path) -> Path:
    """The DAG files of the repository and of this test, with a little data for the latter."""
    folder = place / "dags"
    shutil.copytree(dags, folder)
    shutil.copytree(Path(__file__).parent / "dags", folder, dirs_exist_ok=True)
    (folder / "orders").mkdir()
    (folder / "orders" / "1.csv").write_text(ROWS)
    return folder


def whole_path(folder: Path, place: Path) -> dict[str, Any]:
    """A bounded stream with its proof, a living one with all that its trigger does, and a batch."""
    from airflow_nrt.demo.airflow_client import wait_until
    from airflow_nrt.demo.airflow_processes import AirflowProcesses
    from airflow_nrt.demo.endings import end_as_by_ctrl_c, kill_all_with
    from airflow_nrt.home.heartbeat import read_heartbeat
    from airflow_nrt.home.home import Home
    from airflow_nrt.launch.living import living_driver

    end_as_by_ctrl_c()
    found: dict[str, Any] = {}
    home = Home.at(place / "homes" / "live")
    mark = {"NRT_VERSIONS_PLACE": str(place)}
    processes = AirflowProcesses(place / "airflow", folder)
    with web_hook() as url, contextlib.ExitStack() as at_the_end:
        at_the_end.callback(kill_all_with, mark)
        processes.environment.update(
            {
                **mark,
                "AIRFLOW__NRT__HOMES": str(place / "homes"),
                "ORDERS_HOMES": str(place / "homes"),
                "AIRFLOW_CONN_ALERTS": json.dumps({"conn_type": "http", "host": url}),
                "AIRFLOW__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "600",
                "AIRFLOW__DAG_PROCESSOR__DAG_FILE_PROCESSOR_TIMEOUT": "300",
                "AIRFLOW__CORE__DAGBAG_IMPORT_TIMEOUT": "240",
            }
        )
        with processes:
            client = processes.client
            for dag in ("bounded", "live", "waiting", "in_batch", "price_bands"):
                client.wait_for_dag(dag, 240)

            client.trigger("bounded", "once")
            found["bounded"] = client.wait_for_run("bounded", "once")
            found["verdict"] = client.xcom("bounded", "once", "verify")["proven"]

            client.trigger("live", "first")
            client.wait_for_task("live", "first", "stream", "deferred")
            wait_until(lambda: bool(client.task("live", "first", "stream")["triggerer_job"]), 60, "a triggerer")
            wait_until(lambda: any("seconds is stale" in text for text in TEXTS), 120, "a notice", lambda: str(TEXTS))
            found["missed"] = client.wait_for_xcom("live", "first", "stream", "missed_windows")
            rows = lambda: client.xcom("live", "first", "stream", "status")["rows"]  # noqa: E731
            wait_until(lambda: rows() == 40, 60, "the status from the trigger")
            client.trigger("waiting", "once")
            found["waiting"] = client.wait_for_run("waiting", "once")
            found["live"] = client.wait_for_run("live", "first")
            found["rows"] = client.xcom("live", "first", "stream")["rows"]

            client.trigger("in_batch", "once", {"nrt": WINDOWS})
            found["in_batch"] = client.wait_for_run("in_batch", "once")

            client.trigger("live", "second")
            client.wait_for_task("live", "second", "stream", "deferred")
            wait_until(lambda: bool(client.task("live", "second", "stream")["triggerer_job"]), 60, "a triggerer")
            wait_until(lambda: living_driver(home) is not None, 60, "a driver")
            client.mark("live", "second", "stream", "failed")
            wait_until(lambda: living_driver(home) is None, 60, "the end of the driver")
            beat = read_heartbeat(home.heartbeats)
            found["given_up"] = None if beat is None else beat.state

            found |= of_the_page(processes.url, client.token or "")
            errors = client.get("/importErrors")["import_errors"]
            found["import_errors"] = {Path(one["filename"]).name: one["stack_trace"] for one in errors}
            found["plugins"] = [one["name"] for one in client.get("/plugins")["plugins"]]
    return found


def of_the_page(url: str, token: str) -> dict[str, Any]:
    def asked(path: str, body: dict[str, str] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "X-NRT-Action": "1", "Authorization": f"Bearer {token}"}
        request = urllib.request.Request(f"{url}/nrt/{path}", data, headers)
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refused:
            raise AssertionError(f"{path}: {refused.code} {refused.read().decode()}") from None

    (live,) = asked("api/reports?dag_id=live")["reports"]
    return {"page": live["name"], "button": asked(f"api/reports/{live['id']}/backfill", WINDOWS)["link"]}


def main(dags: Path, place: Path) -> int:
    os.environ["AIRFLOW_HOME"] = str(place / "own")
    os.environ["AIRFLOW__CORE__LOAD_EXAMPLES"] = "False"
    failed = failed_imports()
    logging.disable(logging.CRITICAL)
    print(json.dumps({"failed_imports": failed, **whole_path(furnished(dags, place), place)}))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
