"""Modal-space control that looks at the clock between its stages."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from poise.control.modal import Modal, ModalSettings
from poise.control.modal.modal import Off, View
from poise.control.modal.modes import Modes
from poise.frozen import Array

STAGES = ("modes", "footholds", "window forces", "slow modes", "giving way")


class Clocked(Modal):
    """The same to the last bit; it keeps how much of the processor's time each stage took."""

    def __init__(self, settings: ModalSettings) -> None:
        super().__init__(settings)
        self.forget()

    def forget(self) -> None:
        """Begin anew."""
        self.spent = dict.fromkeys(STAGES, 0.0)  # s

    @contextmanager
    def _clock(self, stage: str) -> Iterator[None]:
        began = time.thread_time()
        yield
        self.spent[stage] += time.thread_time() - began

    def _analysed(self, view: View) -> Modes:
        with self._clock("modes"):
            return super()._analysed(view)

    def _off(self, *given: Any) -> Off:
        with self._clock("footholds"):
            return super()._off(*given)

    def _planned_forces(self, *given: Any) -> Array:
        with self._clock("window forces"):
            return super()._planned_forces(*given)

    def _slow_drive(self, *given: Any) -> Array:
        with self._clock("slow modes"):
            return super()._slow_drive(*given)

    def _giving_way(self, *given: Any) -> Array:
        with self._clock("giving way"):
            return super()._giving_way(*given)
