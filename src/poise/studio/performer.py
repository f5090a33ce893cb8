"""The process in which a visitor's characters perform: whatever happens in it, the server goes on."""

from __future__ import annotations

import ctypes
import time as clock
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

from poise.studio.wire import words

FRAMES = 60.0
"""A second, that are sent."""
EARLY = 0.004
"""s by which a frame may come before it is due: a step that ends a little early would else wait for the next one."""
TELLS = 8.0
"""A second, of the numbers of now."""
AHEAD = 0.05
"""s of the clock that simulating may take before commands are looked at again."""
MEMORY = 6 * 2**30
"""Bytes that a visitor's process may have, so that nothing he brings takes them from everybody else."""
_M_MMAP_THRESHOLD = -3  # of malloc.h
LARGE = 2**20
"""Bytes beyond which a piece of memory is given back to the system as soon as it is free."""
BEHIND = 0.1
"""s of the clock: who falls further behind does not catch up, but is slower than real time."""
FELT = ("push", "pull", "release")
"""Commands whose first step is made and shown at once, before the clock comes to it: hands want an answer."""


def perform_for(wire: Connection, folder: str) -> None:
    """Serve one visitor until he leaves; what he brings is kept in a folder."""
    from threadpoolctl import threadpool_limits

    _limit_memory()
    give_back_large_pieces()
    threadpool_limits(1)  # our matrices are small: threads cost more than they give
    try:
        _Loop(wire, Path(folder)).go()
    except (EOFError, OSError, KeyboardInterrupt):
        pass  # the visitor has left, or the server ends


def _limit_memory() -> None:
    """Where the system knows how to."""
    with suppress(ImportError, ValueError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY if most < 0 else min(MEMORY, most), most))


def give_back_large_pieces() -> None:
    """Where the C library is glibc, which would else keep them, and put small ones there.

    Each mark has 16 MB for MuJoCo to reckon in, hardly used. Of marks that are thinned out, next to nothing would fit
    into what they leave, and after some minutes all addresses would be taken.
    """
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, LARGE)


class _Loop:
    """Commands as they come, and between them the time that passes."""

    def __init__(self, wire: Connection, folder: Path) -> None:
        from poise.studio.desk import Desk

        self._wire = wire
        self._desk = Desk(wire.send, folder)
        self._clock = clock.perf_counter()  # up to where the show has been simulated
        self._due = self._told = 0.0  # when the next frame is due, and when numbers were told
        self._stale = self._urgent = False

    def go(self) -> None:
        """Until the wire is cut."""
        self._wire.send(words("ready"))
        while True:
            self._listen()
            if self._desk.playing:
                self._guarded(self._perform)
            self._report()

    def _guarded(self, act: Callable[[], None]) -> None:
        """Do something; what nobody has foreseen is told to the visitor and to whoever runs the server."""
        try:
            act()
        except (EOFError, OSError):
            raise
        except Exception as error:
            traceback.print_exc()
            self._desk.playing = False
            self._wire.send(words("error", text=_excuse(error), of="studio"))
            self._wire.send(words("playing", on=False))

    def _listen(self) -> None:
        """Take all commands that wait; with nothing to do, wait for one."""
        pause = self._pause()
        while self._wire.poll(pause):
            message = self._wire.recv()
            if "upload" in message:
                self._guarded(partial(self._desk.upload, message["upload"], message["content"]))
            else:
                was = self._desk.playing
                self._guarded(partial(self._desk.take, message))
                if message["do"] in ("stage", "branch", "reset") or was != self._desk.playing:
                    self._clock = clock.perf_counter()
                self._urgent |= message["do"] in FELT
            pause = 0.0

    def _pause(self) -> float | None:
        if not self._desk.playing:
            return None
        return max(0.0, self._clock + self._desk.step_s / self._desk.slow - clock.perf_counter())

    def _perform(self) -> None:
        """Bring the show up to the clock, or a step further if that is urgent and it is not ahead already."""
        now = clock.perf_counter()
        self._clock = max(self._clock, now - BEHIND)
        behind = (now - self._clock) * self._desk.slow
        if self._urgent and behind >= 0:
            behind, self._due = max(behind, self._desk.step_s), now
        self._urgent = False
        done = self._desk.advance(behind, lambda: clock.perf_counter() - now > AHEAD)
        self._clock += done / self._desk.slow
        self._stale |= done > 0

    def _report(self) -> None:
        now = clock.perf_counter()
        if self._stale and now >= self._due - EARLY:
            self._desk.send_frame()
            self._due, self._stale = max(self._due, now - 1 / FRAMES) + 1 / FRAMES, False
        if self._desk.playing and now - self._told >= 1 / TELLS:
            self._desk.tell()
            self._told = now


def _excuse(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "this takes more memory than a page may have"
    told = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    return f"something went wrong that should not ({told})"
