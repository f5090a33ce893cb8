"""Contact candidates: pairs of surface points that may touch within the step."""

from __future__ import annotations

import copy
from collections.abc import Collection
from functools import cached_property
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.contact.height_field import thin_out
from poise.contact.rows import contact_rows
from poise.dynamics.workspace import CONTACTS, Workspace

Pairs = NDArray[np.int32]  # (k, 2) geom ids

NO_PAIRS: Pairs = np.zeros((0, 2), np.int32)

MET_SPEED = 10.0
"""m/s: surfaces that close in no faster than this are candidates before they meet."""
WIDER = 2.0
"""Times as far the world looks ahead for two surfaces of which a trial has shown that they meet."""
SPACING = 0.03
"""m: least distance of contacts of one geom with a height field."""


class Candidates:
    """Finds surfaces that are close, and has rows made of them."""

    def __init__(self, model: mujoco.MjModel, step: float) -> None:
        """Sets how far the surfaces of a model look ahead."""
        self.look_ahead = MET_SPEED * step  # m
        self.furthest = self.look_ahead  # m: how far it has looked in this step
        _look_ahead(model, self.look_ahead)
        self._model = model
        self.uneven = (model.geom_type == mujoco.mjtGeom.mjGEOM_HFIELD).astype(np.int64)
        self._some_uneven = bool(self.uneven.any())
        self._found: list[NDArray[Any]] = []
        self.geoms = NO_PAIRS

    def find(self, data: mujoco.MjData) -> None:
        """Those at the present pose."""
        self.furthest = self.look_ahead
        mujoco.mj_collision(self._model, data)
        if data.ncon == 0:
            self._found, self.geoms = [], NO_PAIRS
            return
        found = data.contact
        parts = [found.pos, found.frame, found.dist, found.geom, found.friction]
        if self._some_uneven:
            kept = thin_out(parts[0], parts[1], parts[2], parts[3], self.uneven, SPACING)
            parts = [part[kept] for part in parts]
        else:
            parts[3] = parts[3].copy()  # MuJoCo's memory changes with the next collision
        self._found, self.geoms = parts, parts[3]

    def lay(self, work: Workspace) -> None:
        """Make rows of them."""
        if not self._found:
            work.counts[CONTACTS] = 0
            return
        if len(self.geoms) > work.contact_room:
            work.reserve(2 * len(self.geoms), work.grip_room)
        contact_rows(work.table, *self._found)

    def look_further(self, qpos: NDArray[np.float64], pairs: Collection[tuple[int, int]]) -> bool:
        """Add, after the others, those of some pairs of geoms that are further apart; whether there are any.

        Not those of height fields: MuJoCo gives fifty contacts with one at most, which more distance would use up.
        """
        model, data = self._wide
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)
        found = data.contact
        known = self.geoms.tolist()
        new = [
            i
            for i, pair in enumerate(found.geom.tolist())
            if tuple(pair) in pairs and not self.uneven[pair].any() and not self._knows(known, pair, found.pos[i])
        ]
        if not new:
            return False
        parts = [part[new] for part in (found.pos, found.frame, found.dist, found.geom, found.friction)]
        if self._found:
            parts = [np.concatenate(both) for both in zip(self._found, parts, strict=True)]
        self._found, self.geoms = parts, parts[3]
        self.furthest = WIDER * self.look_ahead
        return True

    def _knows(self, known: list[list[int]], pair: list[int], point: NDArray[np.float64]) -> bool:
        mine = [i for i, other in enumerate(known) if other == pair]
        return bool(mine) and float(np.linalg.norm(self._found[0][mine] - point, axis=1).min()) < 1e-3

    @cached_property
    def _wide(self) -> tuple[mujoco.MjModel, mujoco.MjData]:
        model = copy.copy(self._model)
        _look_ahead(model, WIDER * self.look_ahead)
        return model, mujoco.MjData(model)


def _look_ahead(model: mujoco.MjModel, distance: float) -> None:
    """Have MuJoCo find surfaces that are no further apart, m.

    It adds the margins of both, and sorts out by bodies first, which have their own.
    """
    for margin in (model.geom_margin, model.body_margin):
        margin[margin > 0] = distance / 2
