"""The client against a server that answers as Airflow does when the answer to a first request was lost."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator

import pytest

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.demo.airflow_client import AirflowClient, ConflictError

RUNNING = {"id": 7, "from_date": "2024-06-18T00:00:00Z", "to_date": "2024-06-18T00:00:00Z", "completed_at": None}


class _Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self._answer(200, {"backfills": [{**RUNNING, "id": 6, "completed_at": "2024-06-19T00:00:00Z"}, RUNNING]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/auth/token":
            is_right = body == {"username": "admin", "password": "right"}
            self._answer(*((201, {"access_token": "of-a-viewer"}) if is_right else (401, {"detail": "Invalid"})))
            return
        if self.headers["Authorization"] == "Bearer of-a-viewer":
            self._answer(403, {"detail": "Forbidden"})
            return
        self._answer(409, {"detail": "There is already a running backfill for dag curve"})

    def _answer(self, status: int, body: object) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing."""


@pytest.fixture
def url(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    # A proxy that leads nowhere: Airflow is on this host.
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Answers) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def client(url: str) -> AirflowClient:
    return AirflowClient(url)


def test_a_backfill_that_runs_already_is_the_one_asked_for(client: AirflowClient) -> None:
    assert client.backfill("curve", "2024-06-18T00:00:00Z", "2024-06-18T00:00:00Z") == 7
    with pytest.raises(ConflictError, match=r"409 .*already a running backfill"):
        client.backfill("curve", "2024-06-17T00:00:00Z", "2024-06-18T00:00:00Z")


def test_a_token_goes_along(url: str) -> None:
    with pytest.raises(NrtError, match=r"403 .*Forbidden"):
        AirflowClient(url, "of-a-viewer").backfill("curve", "2024-06-18T00:00:00Z", "2024-06-18T00:00:00Z")


def test_signing_in(url: str, client: AirflowClient) -> None:
    client.sign_in("admin", "right")
    with pytest.raises(NrtError, match=r"403 .*Forbidden"):
        client.backfill("curve", "2024-06-18T00:00:00Z", "2024-06-18T00:00:00Z")
    with pytest.raises(NrtError, match=r"401 .*Invalid"):
        client.sign_in("admin", "wrong")
