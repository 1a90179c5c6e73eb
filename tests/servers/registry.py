"""A schema registry in a thread: what GET /schemas/ids/{id} and POST /subjects/{s}/versions of Confluent's answer."""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote


class Registry:
    """`schemas` are texts by number, `subjects` the numbers of each subject, `asked` what came: path and login.

    `refusal` is a status and a message that answer everything; `elsewhere` is where everything is redirected to;
    `login` is the Authorization that is asked for. With a `certificate` (a file in PEM, with its key) it speaks TLS.
    """

    def __init__(self, certificate: Path | None = None) -> None:
        self.schemas: dict[int, str] = {}
        self.kinds: dict[int, dict[str, Any]] = {}
        self.subjects: dict[str, list[int]] = {}
        self.asked: list[tuple[str, str | None]] = []
        self.refusal: tuple[int, dict[str, Any]] | None = None
        self.elsewhere: str | None = None
        self.login: str | None = None
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._scheme = "http" if certificate is None else "https"
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_port
        Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self.port}"

    def add(self, schema: Any, **more: Any) -> int:
        """Has this schema, and what else the registry says of it; gives its number."""
        number = max(self.schemas, default=0) + 1
        self.schemas[number], self.kinds[number] = schema if isinstance(schema, str) else json.dumps(schema), more
        return number

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    @contextmanager
    def away(self) -> Iterator[None]:
        """Says that it can't answer now."""
        self.refusal = (503, {"error_code": 50002, "message": "no leader"})
        try:
            yield
        finally:
            self.refusal = None

    def answer(self, method: str, path: str, login: str | None, body: Any) -> tuple[int, dict[str, Any]]:
        self.asked.append((path, login))
        if self.refusal is not None:
            return self.refusal
        if self.login is not None and login != self.login:
            return 401, {"error_code": 401, "message": "Unauthorized"}
        if (found := re.fullmatch(r"/schemas/ids/(\d+)", path)) and method == "GET":
            number = int(found[1])
            if number not in self.schemas:
                return 404, {"error_code": 40403, "message": f"Schema {number} not found"}
            return 200, {"schema": self.schemas[number], **self.kinds[number]}
        if (found := re.fullmatch(r"/subjects/([^/]+)/versions", path)) and method == "POST":
            known = {text: number for number, text in self.schemas.items()}
            number = known[body["schema"]] if body["schema"] in known else self.add(body["schema"])
            self.subjects.setdefault(unquote(found[1]), []).append(number)
            return 200, {"id": number}
        return 404, {"error_code": 404, "message": "HTTP 404 Not Found"}


def _handler(registry: Registry) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._reply(None)

        def do_POST(self) -> None:
            self._reply(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def _reply(self, body: Any) -> None:
            status, said = registry.answer(self.command, self.path, self.headers["Authorization"], body)
            if registry.elsewhere is not None:
                self.send_response(301)
                self.send_header("Location", registry.elsewhere + self.path)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            content = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler
