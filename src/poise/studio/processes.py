"""The processes that perform: one per page, and one spare that is started ahead of need."""

import asyncio
import multiprocessing
import queue
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from typing import Any

from poise.errors import PoiseError
from poise.studio.performer import perform_for

_CONTEXT = multiprocessing.get_context("spawn")  # Spawned processes: forked ones may inherit locked locks

MOST_WAITING = 500  # Maximum number of commands that wait for a busy process

Listener = Callable[[str | bytes | None], None]
"""Called with each message of a process; with None when the process has ended."""


@contextmanager
def sigint_blocked() -> Iterator[None]:
    """Block SIGINT in processes started within: Ctrl+C would interrupt them anywhere; the server ends them instead."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # otherwise the first process starts it, which unblocks signals
    # the started process inherits the mask; a signal to this process stays pending and is not lost
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class PerformerProcess:
    """The process that performs for one page, as seen from the server."""

    def __init__(self) -> None:
        try:
            self._folder = tempfile.TemporaryDirectory(prefix="poise-studio-")  # uploads of its page
            self._wire, theirs = _CONTEXT.Pipe()
        except OSError as error:
            raise PoiseError(f"no further simulation can start: {error.strerror or error}") from None
        self._process = _CONTEXT.Process(target=perform_for, args=(theirs, self._folder.name), daemon=True)
        with sigint_blocked():
            self._process.start()
        theirs.close()
        self._ear: threading.Thread | None = None
        self._commands: queue.Queue[dict[str, Any] | None] = queue.Queue(MOST_WAITING)
        threading.Thread(target=self._pass_on, daemon=True).start()
        self.has_spoken = False

    @property
    def pid(self) -> int | None:
        """Process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process is running."""
        return self._process.is_alive()

    def listen(self, hear: Listener) -> None:
        """Pass each message of the process to `hear`, in the running event loop."""
        loop = asyncio.get_running_loop()

        def pass_to_listener(message: str | bytes | None) -> None:
            try:
                loop.call_soon_threadsafe(hear, message)
            except RuntimeError:
                pass  # the server has stopped

        def receive_messages() -> None:
            try:
                while True:
                    pass_to_listener(self._wire.recv())
                    self.has_spoken = True
            except (EOFError, OSError):
                pass_to_listener(None)

        self._ear = threading.Thread(target=receive_messages, daemon=True)
        self._ear.start()

    @property
    def waiting(self) -> int:
        """Number of commands that the process has not taken yet."""
        return self._commands.qsize()

    def send(self, message: dict[str, Any]) -> None:
        """Queue a command without waiting; raise if the queue is full. Commands to an ended process are dropped."""
        try:
            self._commands.put_nowait(message)
        except queue.Full:
            raise PoiseError("the simulation is still busy: wait, or press Stop") from None

    def _pass_on(self) -> None:
        try:
            while (message := self._commands.get()) is not None:
                self._wire.send(message)
        except OSError:
            pass  # the process has ended

    @property
    def cause(self) -> str:
        """Why the process ended, as far as the system tells; empty if it tells nothing."""
        self._process.join(1.0)
        code = self._process.exitcode
        if code is None or code >= 0:
            return ""
        by = signal.Signals(-code).name
        return f" ({by}: ended from outside, perhaps for lack of memory)" if by == "SIGKILL" else f" ({by})"

    def end(self) -> None:
        """Kill the process and remove its files."""
        self._process.kill()
        self._process.join()
        self._folder.cleanup()
        if not self._commands.full():
            self._commands.put_nowait(None)  # ends the sending thread
        if self._ear is None:
            self._wire.close()


class PerformerPool:
    """Processes in use and a spare one, since starting one takes a second or two."""

    def __init__(self) -> None:
        self._next: PerformerProcess | None = PerformerProcess()
        self._given: list[PerformerProcess] = []

    def give(self) -> PerformerProcess:
        """A process for a new page."""
        given = self._next if self._next is not None and self._next.alive else PerformerProcess()
        self._given.append(given)
        self._next = None
        with suppress(PoiseError):  # without a spare one, the next page waits longer
            self._next = PerformerProcess()
        return given

    def take_back(self, process: PerformerProcess) -> None:
        """End the process of a closed page."""
        process.end()
        self._given.remove(process)

    @property
    def busy(self) -> int:
        """Number of processes in use."""
        return len(self._given)

    def end(self) -> None:
        """End all processes."""
        for process in (*self._given, self._next):
            if process is not None:
                process.end()
        self._given = []
