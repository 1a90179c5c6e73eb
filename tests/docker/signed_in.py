"""Airflow's REST API as a user reaches it who signs in with a password."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

from airflow_nrt.demo.airflow_client import AirflowClient, ConflictError
from airflow_nrt.report.errors import NrtError

# No proxy of the environment: Airflow is on this host.
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class SignedInClient(AirflowClient):
    """The client of the demonstration with a token of its own. Raises NrtError where the password is refused."""

    def __init__(self, url: str, user: str, password: str) -> None:
        super().__init__(url)
        self._url = url
        self._headers = {"Content-Type": "application/json"}
        self._headers["Authorization"] = self._sign_in(user, password)

    def _sign_in(self, user: str, password: str) -> str:
        token = self._send("POST", "/auth/token", {"username": user, "password": password})["access_token"]
        return f"Bearer {token}"

    def request(self, method: str, path: str, body: Any = None) -> Any:
        return self._send(method, f"/api/v2{path}", body)

    def _send(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        question = urllib.request.Request(f"{self._url}{path}", data, self._headers, method=method)
        try:
            with _OPENER.open(question, timeout=60) as answer:
                content = answer.read()
        except urllib.error.HTTPError as refused:
            kind = ConflictError if refused.code == 409 else NrtError
            raise kind(f"{method} {path}: {refused.code} {refused.read()[:1000]!r}") from None
        return json.loads(content) if content else None
