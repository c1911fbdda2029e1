"""A real web server with bad manners, on loopback: its paths are named after what is wrong there."""

from __future__ import annotations

import http.server
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

CONTENT = random.Random(5).randbytes(3_000_000)


@dataclass
class Served:
    """One answer: the path asked for, the Range and If-Range of the request, bytes of the body that were sent."""

    path: str
    range: str
    if_range: str
    sent: int = 0
    finished: bool = False


class BadServer(http.server.ThreadingHTTPServer):
    """Serves CONTENT under paths that are named after what is wrong there."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.served: list[Served] = []
        self.etag = '"one"'
        self.drops = 3
        self.closing = threading.Event()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_port}/{path}"

    def answers(self) -> list[Served]:
        """What was served, once every answer has ended (the client may be ahead of the server)."""
        deadline = time.monotonic() + 10
        while not all(answer.finished for answer in self.served) and time.monotonic() < deadline:
            time.sleep(0.01)
        return self.served

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is what these tests are about."""


class Handler(http.server.BaseHTTPRequestHandler):
    server: BadServer

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        self.answer = Served(self.path, self.headers.get("Range", ""), self.headers.get("If-Range", ""))
        self.server.served.append(self.answer)
        stalls = self.path.startswith("/stall")  # with all below it, so that it can stand for a package index
        name = "stall" if stalls else self.path.rsplit("/", 1)[-1].removesuffix(".gguf")
        handle: Callable[[], None]
        answers = {"html": self._html, "hop": self._hop, "loop": self._loop, "away": self._away, "stall": self._stall}
        if name in answers:
            handle = answers[name]
        elif name in {"good", "drop", "once", "ignore", "lie", "long", "slow", "wrong", "unsized", "bent"}:
            handle = partial(self._file, name)
        else:
            handle = partial(self.send_error, 404)
        try:
            handle()
        finally:
            self.answer.finished = True

    def _file(self, name: str) -> None:
        content = bytes(len(CONTENT)) if name == "wrong" else CONTENT
        start = 0
        asked = self.headers.get("Range", "")
        if asked and name != "ignore" and self.headers.get("If-Range", self.server.etag) == self.server.etag:
            start = int(asked.removeprefix("bytes=").rstrip("-"))
        self.send_response(206 if start else 200)
        if start:
            first = start - 7 if name == "bent" else start
            self.send_header("Content-Range", f"bytes {first}-{len(content) - 1}/{len(content)}")
        if name not in {"unsized", "long"}:
            self.send_header("Content-Length", str(len(content) - start - (10 if name == "lie" else 0)))
        self.send_header("ETag", self.server.etag)
        self.end_headers()
        self._body(name, content[start:] + (b"more" if name == "long" else b""))

    def _body(self, name: str, body: bytes) -> None:
        end = len(body)
        if name in {"drop", "once", "ignore", "bent"} and self.server.drops:
            self.server.drops -= 1
            end //= 2
        while self.answer.sent < end:
            self.answer.sent += self.wfile.write(body[self.answer.sent : min(self.answer.sent + 65536, end)])
            if name == "slow" and self.server.closing.wait(0.02):
                break

    def _html(self) -> None:
        page = b"<html>Please log in</html>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def _redirect(self, target: str) -> None:
        self.send_response(302)
        self.send_header("Location", target)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _hop(self) -> None:
        self._redirect("/elsewhere/good.gguf")

    def _loop(self) -> None:
        self._redirect("/loop.gguf")

    def _away(self) -> None:
        self._redirect("http://hub.example/good.gguf")

    def _stall(self) -> None:
        self.server.closing.wait(30)
