"""A studio that is open during a test, and a client that connects to it."""

import asyncio
import json
import struct
import threading
import time
from contextlib import contextmanager
from urllib.parse import urlsplit

from websockets.sync.client import connect

from poise.studio.server import Studio


@contextmanager
def open_studio(first=None):
    studio, loop, opened = Studio(first or {}), asyncio.new_event_loop(), threading.Event()

    def go():
        asyncio.set_event_loop(loop)
        loop.run_until_complete(studio.open(0))
        opened.set()
        loop.run_forever()

    thread = threading.Thread(target=go)
    thread.start()
    assert opened.wait(60)
    try:
        yield studio
    finally:
        asyncio.run_coroutine_threadsafe(studio.close(), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(30)
        loop.close()


def does_not_perform(wire, folder):
    """Stands in for a process that cannot start."""


def wire_address(studio):
    """Address of the connection, with the token of the page's own address."""
    return f"ws://127.0.0.1:{studio.port}/wire?{urlsplit(studio.address).query}"


class Visitor:
    """Connects to the studio as the page does."""

    def __init__(self, studio, **more):
        origin = f"http://127.0.0.1:{studio.port}"
        self._connection = connect(wire_address(studio), origin=origin, max_size=None, compression=None, **more)

    def __enter__(self):
        self.socket = self._connection.__enter__()
        return self

    def __exit__(self, *raised):
        self._connection.__exit__(*raised)

    def passes_over(self, kind):
        """The next message of a kind, errors included."""
        while True:
            message = self.next()
            if isinstance(message, dict) and message["say"] == kind:
                return message

    def send(self, do, **more):
        self.socket.send(json.dumps({"do": do, **more}))

    def next(self, seconds=600.0):
        message = self.socket.recv(timeout=seconds)
        return json.loads(message) if isinstance(message, str) else message

    def until(self, kind, seconds=600.0):
        """The next message of a kind; what else is said meanwhile is passed over, but for errors."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            message = self.next(max(0.1, end - time.monotonic()))
            if isinstance(message, dict):
                if message["say"] == kind:
                    return message
                assert message["say"] not in ("error", "crashed"), message
        raise AssertionError(f"nothing was said of {kind}")

    def frames(self, until):
        """(simulated time in s, message) of all poses, until one of a simulated time comes."""
        found = []
        while not found or found[-1][0] < until:
            message = self.next()
            if isinstance(message, bytes) and message[0] == 1:
                found.append((struct.unpack("<d", message[8:16])[0], message))
        return found
