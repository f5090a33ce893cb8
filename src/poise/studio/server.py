"""The server: gives the page to whoever asks on this machine, and a performer to each page that connects."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.resources import files
from typing import Any, NamedTuple

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from poise.errors import PoiseError
from poise.studio.processes import Performer, Troupe
from poise.studio.transfers import LARGEST, check_upload
from poise.studio.wire import is_frame, read_command, words

# Who may talk to the studio: pages that it served itself, under the name of this machine to itself, and nobody else.
#
# A page from elsewhere that is open in the same browser could reach a server on this machine. Browsers tell where a
# page came from (Origin), and under what name the server was asked for (Host, which a foreign name server can point
# to this machine); both must be ours.

LOOPBACK = "127.0.0.1"
_NAMES = (LOOPBACK, "localhost", "[::1]")


def own_hosts(port: int) -> tuple[str, ...]:
    """The names under which this machine asks itself; browsers leave out the port that is usual."""
    return tuple(f"{name}:{port}" for name in _NAMES) + (_NAMES if port == 80 else ())


def is_own_host(host: str | None, port: int) -> bool:
    """Whether the server was asked for by a name of this machine to itself."""
    return host is not None and host.lower() in own_hosts(port)


def is_own_origin(origin: str | None, port: int) -> bool:
    """Whether a page that wants to talk was served by us."""
    return origin is not None and origin.lower() in {f"http://{host}" for host in own_hosts(port)}


# The files that the page is made of, by the address they are asked for.

_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_SHARED = ("three.bundle.min.js", "data.js", "quality.js", "stage.js", "figure.js", "overlays.js")
"""Of the playback page: bodies look the same in both."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "media-src blob:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
"""What the page may do: nothing comes from or goes anywhere else."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class Page(NamedTuple):
    """A file of the page."""

    kind: str
    content: bytes


def page_at(path: str) -> Page | None:
    """What is at an address; None if there is nothing."""
    name = path.partition("?")[0].removeprefix("/") or "index.html"
    home = "poise.export" if name in _SHARED else "poise.studio"
    ours = {each.name for each in (files(home) / "assets").iterdir()}
    ending = "." + name.rpartition(".")[2]
    if name not in ours or ending not in _TYPES:
        return None
    return Page(_TYPES[ending] + "; charset=utf-8", (files(home) / "assets" / name).read_bytes())


WIRE = "/wire"
MOST_VISITORS = 4
WAITING = 120
"""Messages that may wait for a slow page; poses beyond that are left out."""
FILES_AFTER = 5
"""Commands that may wait before a file is taken: files are large."""


class Studio:
    """A server and its performers."""

    def __init__(self, first: Mapping[str, Any]) -> None:
        """`first` is what a page puts on the stage to begin with."""
        self._first = dict(first)
        self._troupe: Troupe | None = None
        self._server: Server | None = None
        self.port = 0

    async def open(self, port: int) -> None:
        """Begin to serve; port 0 is any that is free."""
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
                ping_interval=20,
                logger=_quiet(),
            )
        except OSError as error:
            raise PoiseError(f"cannot open port {port}: {error.strerror or error}") from None
        self.port = int(next(iter(self._server.sockets)).getsockname()[1])
        self._troupe = Troupe()

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{LOOPBACK}:{self.port}/"

    async def close(self) -> None:
        """End everything."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
        if self._troupe is not None:
            self._troupe.end()

    def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        """Files of the page; None for a page of ours that wants to talk."""
        if not is_own_host(request.headers.get("Host"), self.port):
            return connection.respond(421, "This is the Poise studio of another machine.\n")
        if request.path != WIRE:
            page = page_at(request.path)
            if page is None:
                return connection.respond(404, "There is nothing here.\n")
            headers = Headers({**HEADERS, "Content-Type": page.kind, "Content-Length": str(len(page.content))})
            headers["Connection"] = "close"
            return Response(200, "OK", headers, page.content)
        if not is_own_origin(request.headers.get("Origin"), self.port):
            return connection.respond(403, "Only the studio's own page may talk to it.\n")
        return None

    async def _visit(self, page: ServerConnection) -> None:
        assert self._troupe is not None
        if self._troupe.busy >= MOST_VISITORS:
            await page.send(words("full", text=f"{MOST_VISITORS} pages are open already: close one of them"))
            return
        await _Visit(page, self._troupe, self._first).last()


class _Visit:
    """A page and its performer."""

    def __init__(self, page: ServerConnection, troupe: Troupe, first: Mapping[str, Any]) -> None:
        self._page, self._troupe, self._first = page, troupe, first
        self._waiting: asyncio.Queue[str | bytes] = asyncio.Queue()
        self._left = False
        self._expected: str | None = None  # the name of a file that is about to come
        self._performer = self._engage()

    def _engage(self) -> Performer:
        performer = self._troupe.give()
        performer.listen(lambda message: self._hear(performer, message))
        return performer

    async def last(self) -> None:
        """For as long as the page is open."""
        await self._page.send(words("welcome", first=self._first, largest=LARGEST))
        sending = asyncio.create_task(self._send())
        try:
            async for message in self._page:
                self._take(message)
        except ConnectionClosed:
            pass
        finally:
            self._left = True
            sending.cancel()
            self._troupe.take_back(self._performer)

    def _hear(self, performer: Performer, message: str | bytes | None) -> None:
        """What the performer says, or that it is gone: then there is another one."""
        if performer is not self._performer or self._left:
            return
        if message is None and performer.has_spoken:
            self._replace("The simulation stopped unexpectedly, and begins again.")
        elif message is None:  # another one would fare no better
            self._waiting.put_nowait(words("dead", text="the simulation cannot start: the terminal tells why"))
        elif not is_frame(message) or self._waiting.qsize() < WAITING:
            self._waiting.put_nowait(message)

    def _replace(self, why: str, asked: bool = False) -> None:
        self._troupe.take_back(self._performer)
        self._performer = self._engage()
        self._waiting.put_nowait(words("crashed", text=why, asked=asked))

    async def _send(self) -> None:
        try:
            while True:
                await self._page.send(await self._waiting.get())
        except ConnectionClosed:
            pass

    def _take(self, message: str | bytes) -> None:
        """A command or a file of the page."""
        try:
            if isinstance(message, bytes):
                self._take_file(message)
                return
            command = read_command(message)
            if command["do"] == "upload":
                name, size = command.get("name"), command.get("size")
                if not isinstance(name, str) or not isinstance(size, int):
                    raise PoiseError("a file needs a name and a size")
                check_upload(name, size)
                if self._performer.waiting > FILES_AFTER:
                    raise PoiseError("it is still busy with what came before: wait, or stop it")
                self._expected = name
                self._waiting.put_nowait(words("send", name=name))
            elif command["do"] == "abort":
                self._replace("Stopped.", asked=True)
            else:
                self._performer.send(command)
        except PoiseError as error:
            self._waiting.put_nowait(words("error", text=str(error), of="upload"))

    def _take_file(self, content: bytes) -> None:
        name, self._expected = self._expected, None
        if name is None:
            raise PoiseError("a file came that nobody announced")
        check_upload(name, len(content))  # what is in it, the performer looks at
        self._performer.send({"do": "upload", "upload": name, "content": content})


def _quiet() -> logging.Logger:
    """For connections that go as they come."""
    logger = logging.getLogger("poise.studio")
    logger.setLevel(logging.CRITICAL)
    return logger


async def serve_until_stopped(studio: Studio, port: int, opened: Callable[[Studio], None]) -> None:
    """Serve, and have someone told when it is open; a request to end is heeded, and everything cleared away."""
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    with suppress(NotImplementedError):  # where there are no such signals
        loop.add_signal_handler(signal.SIGTERM, ended.set)
        loop.add_signal_handler(signal.SIGHUP, ended.set)
    try:
        await studio.open(port)
        opened(studio)
        await ended.wait()
    finally:
        await studio.close()
