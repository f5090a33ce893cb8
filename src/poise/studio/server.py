"""The server: serves the page to this machine only, and gives each connected page a process.

Foreign pages in the same browser are refused by their Origin, or by the Host as which they address this machine. Other
users of the machine lack the token, which is random at each start, and which only the studio's own link carries.
"""

import asyncio
import hmac
import logging
import secrets
import signal
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from poise.errors import PoiseError
from poise.studio.processes import PerformerPool, PerformerProcess
from poise.studio.transfers import LARGEST, check_upload
from poise.studio.wire import is_frame, json_message, read_command

LOOPBACK = "127.0.0.1"
_NAMES = (LOOPBACK, "localhost", "[::1]")
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_SHARED = ("three.bundle.min.js", "data.js", "quality.js", "stage.js", "figure.js", "overlays.js")
"""Files of the playback page, so that bodies look the same in both."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "media-src blob:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
"""Content security policy: the page loads from and connects to this server only."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
WIRE = "/wire"
NO_TOKEN = "Open the link that this start of `poise studio` printed: it carries a token, which this address lacks.\n"
MOST_VISITORS = 4
WAITING = 120  # Maximum number of messages queued for a slow page; further frames are dropped
FILES_AFTER = 5  # Maximum number of queued commands at which an upload is accepted, since files are large


class Studio:
    """The server and its processes."""

    def __init__(self, first: Mapping[str, Any]) -> None:
        """`first` is the initial choice of a page."""
        self._first = dict(first)
        self._token = secrets.token_urlsafe(24)
        self._pool: PerformerPool | None = None
        self._server: Server | None = None
        self.port = 0

    async def open(self, port: int) -> None:
        """Start to serve; port 0 takes any free one."""
        silent = logging.getLogger("poise.studio")
        silent.setLevel(logging.CRITICAL)  # hides closed connections
        try:
            self._server = await serve(
                self._visit,
                LOOPBACK,
                port,
                process_request=self._answer,
                compression=None,
                max_size=LARGEST + 1024,
                server_header=None,
                open_timeout=10,
                ping_interval=None,  # a page that has gone closes its connection; a slow or sleeping one must keep it
                logger=silent,
            )
        except OSError as error:
            raise PoiseError(f"cannot open port {port}: {error.strerror or error}") from None
        self.port = int(next(iter(self._server.sockets)).getsockname()[1])
        self._pool = PerformerPool()

    @property
    def address(self) -> str:
        """Address of the page, with the token."""
        return f"http://{LOOPBACK}:{self.port}/?token={self._token}"

    async def close(self) -> None:
        """Stop serving and end all processes."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
        if self._pool is not None:
            self._pool.end()

    def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        """The response to a request for a file; None to accept a connection of our own page."""
        host = only_header(request.headers, "Host")
        if host is None or host.lower() not in own_hosts(self.port):
            return connection.respond(421, "This Poise studio serves its own machine only.\n")
        path, _, query = request.path.partition("?")
        if path in ("/", "/index.html", WIRE) and not self._is_token(query):
            return connection.respond(403, NO_TOKEN)
        if path != WIRE:
            page = page_file(path)
            if page is None:
                return connection.respond(404, "Not found.\n")
            kind, content = page
            own = {"Content-Type": kind, "Content-Length": str(len(content)), "Connection": "close"}
            return Response(200, "OK", Headers({**HEADERS, **own}), content)
        origin = only_header(request.headers, "Origin")
        if origin is None or origin.lower() not in {f"http://{name}" for name in own_hosts(self.port)}:
            return connection.respond(403, "Only the studio's own page may connect.\n")
        return None

    def _is_token(self, query: str) -> bool:
        """Whether a query carries the token of this start; the comparison takes the same time for any wrong token."""
        given = parse_qs(query).get("token", [""])[0]
        return hmac.compare_digest(given.encode(errors="replace"), self._token.encode())

    async def _visit(self, page: ServerConnection) -> None:
        assert self._pool is not None
        if self._pool.busy >= MOST_VISITORS:
            await page.send(json_message("full", text=f"{MOST_VISITORS} pages are already open: close one of them"))
            return
        try:
            visit = _PageVisit(page, self._pool, self._first)
        except PoiseError as error:
            await page.send(json_message("full", text=str(error)))
            return
        await visit.serve_page()


class _PageVisit:
    """A connected page and its process."""

    def __init__(self, page: ServerConnection, pool: PerformerPool, first: Mapping[str, Any]) -> None:
        self._page, self._pool, self._first = page, pool, first
        self._waiting: asyncio.Queue[str | bytes] = asyncio.Queue()
        self._left = False
        self._expected: deque[str] = deque()  # names of the announced files, in the order in which they will come
        self._process = self._engage_process()

    def _engage_process(self) -> PerformerProcess:
        process = self._pool.give()
        process.listen(lambda message: self._forward_message(process, message))
        return process

    async def serve_page(self) -> None:
        """Serve the page until it closes."""
        await self._page.send(json_message("welcome", first=self._first, largest=LARGEST))
        sending = asyncio.create_task(self._send())
        try:
            async for message in self._page:
                self._handle_message(message)
        except ConnectionClosed:
            pass
        finally:
            self._left = True
            sending.cancel()
            self._pool.take_back(self._process)

    def _forward_message(self, process: PerformerProcess, message: str | bytes | None) -> None:
        """Forward a message of the process; replace a process that has ended."""
        if process is not self._process or self._left:
            return
        if message is None and process.has_spoken:
            self._replace_process(f"The simulation stopped unexpectedly{process.cause} and starts again.")
        elif message is None:  # it failed to start; another one would too
            text = "the simulation cannot start: see the terminal for the cause"
            self._waiting.put_nowait(json_message("dead", text=text))
        elif not is_frame(message) or self._waiting.qsize() < WAITING:
            self._waiting.put_nowait(message)

    def _replace_process(self, why: str, asked: bool = False) -> None:
        before = self._process
        try:
            self._process = self._engage_process()
        except PoiseError as error:
            self._waiting.put_nowait(json_message("dead", text=str(error)))
            return
        self._pool.take_back(before)
        self._waiting.put_nowait(json_message("crashed", text=why, asked=asked))

    async def _send(self) -> None:
        try:
            while True:
                await self._page.send(await self._waiting.get())
        except ConnectionClosed:
            pass

    def _handle_message(self, message: str | bytes) -> None:
        """Handle a command or a file of the page."""
        name, number = "upload" if isinstance(message, bytes) else "command", None
        try:
            if isinstance(message, bytes):
                self._handle_file(message)
                return
            command = read_command(message)
            name, number = command["do"], command.get("id")
            if name == "upload":
                file, size = command.get("name"), command.get("size")
                if not isinstance(file, str) or not isinstance(size, int):
                    raise PoiseError("a file needs a name and a size")
                check_upload(file, size)
                if self._process.waiting > FILES_AFTER:
                    raise PoiseError("the simulation is still busy: wait, or press Stop")
                if len(self._expected) >= FILES_AFTER:
                    raise PoiseError("too many files at once: open one after the other")
                self._expected.append(file)
                self._waiting.put_nowait(json_message("send", name=file))
            elif name == "abort":
                self._replace_process("Stopped.", asked=True)
            else:
                self._process.send(command)
        except PoiseError as error:
            self._waiting.put_nowait(json_message("error", text=str(error), of=name, id=number))

    def _handle_file(self, content: bytes) -> None:
        if not self._expected:
            raise PoiseError("a file arrived that was not announced")
        name = self._expected.popleft()
        check_upload(name, len(content))  # the process checks the content
        self._process.send({"do": "upload", "upload": name, "content": content})


async def serve_until_stopped(studio: Studio, port: int, opened: Callable[[Studio], None]) -> None:
    """Serve until SIGTERM or SIGHUP, then clean up; call `opened` once the server is open."""
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    with suppress(NotImplementedError):  # on systems without these signals
        loop.add_signal_handler(signal.SIGTERM, ended.set)
        loop.add_signal_handler(signal.SIGHUP, ended.set)
    try:
        await studio.open(port)
        opened(studio)
        await ended.wait()
    finally:
        await studio.close()


def page_file(path: str) -> tuple[str, bytes] | None:
    """Content type and content of the page's file at an address; None if there is none."""
    name = path.removeprefix("/") or "index.html"
    home = "poise.export" if name in _SHARED else "poise.studio"
    ours = {each.name for each in (files(home) / "assets").iterdir()}
    ending = "." + name.rpartition(".")[2]
    if name not in ours or ending not in _TYPES:
        return None
    return _TYPES[ending] + "; charset=utf-8", (files(home) / "assets" / name).read_bytes()


def only_header(headers: Headers, name: str) -> str | None:
    """Value of a header; None if it is missing or sent more than once."""
    values = headers.get_all(name)
    return values[0] if len(values) == 1 else None


def own_hosts(port: int) -> tuple[str, ...]:
    """Names by which this machine addresses itself; browsers omit the default port."""
    return tuple(f"{name}:{port}" for name in _NAMES) + (_NAMES if port == 80 else ())
