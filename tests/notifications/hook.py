"""A web hook of this host that keeps what is posted to it."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class WebHook(ThreadingHTTPServer):
    """`answers` are the statuses of the next posts; 200 where there is none. `posts` are bodies and headers.

    Where it redirects, it says `location`; a GET has a page of 200.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: list[int] = []
        self.location = ""
        self.posts: list[tuple[Any, dict[str, str]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/hooks/secret-of-the-path"

    @property
    def texts(self) -> list[str]:
        return [body["text"] for body, _ in self.posts]


class _Handler(BaseHTTPRequestHandler):
    server: WebHook

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status = self.server.answers.pop(0) if self.server.answers else 200
        if status == 200:
            self.server.posts.append((body, dict(self.headers)))
        self.send_response(status)
        if self.server.location:
            self.send_header("Location", self.server.location)
        self.end_headers()

    def do_GET(self) -> None:
        self.server.posts.append((None, dict(self.headers)))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *words: object) -> None:
        pass


@contextlib.contextmanager
def web_hook() -> Iterator[WebHook]:
    with WebHook() as hook:
        # By itself, a server takes half a second to end.
        threading.Thread(target=hook.serve_forever, args=(0.01,), daemon=True).start()
        yield hook
        hook.shutdown()
