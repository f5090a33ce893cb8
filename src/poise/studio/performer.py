"""The process that simulates for one page; a failure in it does not affect the server."""

import ctypes
import time as clock
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

from poise.studio.wire import json_message

FRAMES = 60.0  # Frames sent per second
EARLY = 0.004
"""Time (s) by which a frame may be early; a step that ends slightly early would otherwise wait for the next one."""
UPDATES = 8.0  # Updates of the numbers per second
AHEAD = 0.05  # Wall-clock time (s) of simulation after which commands are polled again
MEMORY = 6 * 2**30  # Memory limit (bytes) of a page's process, so that one upload cannot exhaust the machine
_M_MMAP_THRESHOLD = -3  # from malloc.h
LARGE = 2**20  # Size (bytes) above which freed memory returns to the system at once
BEHIND = 0.1  # Lag (s, wall clock) that is caught up; beyond it the show runs slower than real time
URGENT = ("push", "pull", "release")
"""Commands whose first step is simulated and shown at once, so that the page responds without delay."""


def perform_for(wire: Connection, folder: str) -> None:
    """Serve one page until it closes; its uploads are stored in `folder`."""
    from threadpoolctl import threadpool_limits

    _limit_memory()
    return_large_blocks()
    threadpool_limits(1)  # the matrices are small: threads cost more than they gain
    try:
        _PerformerLoop(wire, Path(folder)).run_until_closed()
    except (_PageClosed, EOFError, OSError, KeyboardInterrupt):
        pass  # the page was closed, or the server ends


def _limit_memory() -> None:
    """Cap the address space at MEMORY bytes (RLIMIT_AS), where the system supports it."""
    with suppress(ImportError, ValueError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY if most < 0 else min(MEMORY, most), most))


def return_large_blocks() -> None:
    """Make glibc return freed blocks above LARGE to the system: marks of 16 MB would fragment the heap in minutes."""
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, LARGE)


class _PageClosed(Exception):
    """The connection to the server has ended."""


class _PerformerLoop:
    """Handles commands as they come, and simulates in between."""

    def __init__(self, wire: Connection, folder: Path) -> None:
        from poise.studio.desk import Desk

        self._wire = wire
        self._desk = Desk(self._send, folder)
        self._clock = clock.perf_counter()  # wall-clock time up to which the show is simulated
        self._due = self._updated = 0.0  # when the next frame is due; when numbers were last sent
        self._stale = self._urgent = False

    def _send(self, message: str | bytes) -> None:
        try:
            self._wire.send(message)
        except OSError as error:  # unlike those of files, which the page can outlive
            raise _PageClosed from error

    def run_until_closed(self) -> None:
        """Run until the connection closes."""
        self._send(json_message("ready"))
        while True:
            self._listen()
            if self._desk.playing:
                self._guarded(self._perform)
            self._report()

    def _guarded(self, act: Callable[[], None]) -> None:
        """Call a function; report an unexpected error to the page and on the terminal."""
        try:
            act()
        except _PageClosed:
            raise
        except Exception as error:
            if not isinstance(error, OSError):
                traceback.print_exc()
            self._desk.playing = False
            self._send(json_message("error", text=_unexpected_error_text(error), of="studio"))
            self._send(json_message("playing", on=False))

    def _listen(self) -> None:
        """Handle all waiting commands; wait for one if there is nothing to simulate."""
        due = self._clock + self._desk.step_s / self._desk.playback_rate if self._desk.playing else None
        pause = None if due is None else max(0.0, due - clock.perf_counter())
        while self._wire.poll(pause):
            message, was = self._wire.recv(), self._desk.playing
            self._guarded(partial(self._desk.execute, message))
            if message["do"] in ("stage", "branch", "reset") or was != self._desk.playing:
                self._clock = clock.perf_counter()
            self._urgent |= message["do"] in URGENT
            pause = 0.0

    def _perform(self) -> None:
        """Simulate up to the clock, or one step more if a command is urgent and the show is not ahead."""
        now = clock.perf_counter()
        self._clock = max(self._clock, now - BEHIND)
        behind = (now - self._clock) * self._desk.playback_rate
        if self._urgent and behind >= 0:
            behind, self._due = max(behind, self._desk.step_s), now
        self._urgent = False
        done = self._desk.advance(behind, lambda: clock.perf_counter() - now > AHEAD)
        self._clock += done / self._desk.playback_rate
        self._stale |= done > 0

    def _report(self) -> None:
        now = clock.perf_counter()
        if self._stale and now >= self._due - EARLY:
            self._desk.send_frame()
            self._due, self._stale = max(self._due, now - 1 / FRAMES) + 1 / FRAMES, False
        if self._desk.playing and now - self._updated >= 1 / UPDATES:
            self._desk.send_numbers()
            self._updated = now


def _unexpected_error_text(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "this needs more memory than one page may use"
    if isinstance(error, OSError):
        return f"the machine of the studio refuses this: {error.strerror or error}"
    text = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    return f"unexpected error ({text})"
