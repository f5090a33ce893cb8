"""Processes for visitors: one is always ready, one is given to each, and ended when he leaves."""

from __future__ import annotations

import asyncio
import multiprocessing
import queue
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any

from poise.errors import PoiseError
from poise.studio.performer import perform_for

_CONTEXT = multiprocessing.get_context("spawn")
"""Forked processes may inherit locks that are held."""

MOST_WAITING = 500
"""Commands that may wait for a performer that is busy."""

Hear = Callable[[str | bytes | None], None]
"""Told what a performer says; None when it is gone."""


@contextmanager
def deaf() -> Iterator[None]:
    """Processes that begin here do not hear Ctrl+C, which would interrupt them at any place: the server ends them."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # else the first process begins it, which unblocks signals
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # inherited; here it waits, and is not lost
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Performer:
    """A process that performs."""

    def __init__(self) -> None:
        self._wire, theirs = _CONTEXT.Pipe()
        self._folder = tempfile.TemporaryDirectory(prefix="poise-studio-")  # for what its visitor brings
        self._process = _CONTEXT.Process(target=perform_for, args=(theirs, self._folder.name), daemon=True)
        with deaf():
            self._process.start()
        theirs.close()
        self._ear: threading.Thread | None = None
        self._commands: queue.Queue[dict[str, Any] | None] = queue.Queue(MOST_WAITING)
        threading.Thread(target=self._pass_on, daemon=True).start()
        self.has_spoken = False

    @property
    def pid(self) -> int | None:
        """Of the process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it is there."""
        return self._process.is_alive()

    def listen(self, hear: Hear) -> None:
        """Have whatever it says told, in the loop that runs now."""
        loop = asyncio.get_running_loop()

        def tell(message: str | bytes | None) -> None:
            try:
                loop.call_soon_threadsafe(hear, message)
            except RuntimeError:
                pass  # the server has stopped

        def wait() -> None:
            try:
                while True:
                    tell(self._wire.recv())
                    self.has_spoken = True
            except (EOFError, OSError):
                tell(None)

        self._ear = threading.Thread(target=wait, daemon=True)
        self._ear.start()

    @property
    def waiting(self) -> int:
        """Commands that it has not taken yet."""
        return self._commands.qsize()

    def send(self, message: dict[str, Any]) -> None:
        """A command. One that is busy hears it later, one that is gone never; whoever sends does not wait for it."""
        try:
            self._commands.put_nowait(message)
        except queue.Full:
            raise PoiseError("it is still busy with what came before: wait, or stop it") from None

    def _pass_on(self) -> None:
        try:
            while (message := self._commands.get()) is not None:
                self._wire.send(message)
        except OSError:
            pass  # it is gone

    def end(self) -> None:
        """End it, whatever it is doing."""
        self._process.kill()
        self._process.join()
        self._folder.cleanup()
        if not self._commands.full():
            self._commands.put_nowait(None)  # nothing more to pass on
        if self._ear is None:
            self._wire.close()


class Troupe:
    """Performers: the next one is started before it is needed, since starting takes a second or two."""

    def __init__(self) -> None:
        self._next = Performer()
        self._given: list[Performer] = []

    def give(self) -> Performer:
        """One for a visitor."""
        given = self._next if self._next.alive else Performer()
        self._next = Performer()
        self._given.append(given)
        return given

    def take_back(self, performer: Performer) -> None:
        """The visitor has left."""
        performer.end()
        self._given.remove(performer)

    @property
    def busy(self) -> int:
        """How many have visitors."""
        return len(self._given)

    def end(self) -> None:
        """All of them."""
        for performer in (*self._given, self._next):
            performer.end()
        self._given = []
