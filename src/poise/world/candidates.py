"""Contact candidates: pairs of surface points that may touch within the step."""

from __future__ import annotations

import copy
from collections.abc import Collection
from functools import cached_property
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.contact.height_field import thin_height_field_contacts
from poise.contact.rows import write_contact_rows
from poise.dynamics.workspace import CONTACTS, Pairs, Workspace

NO_PAIRS: Pairs = np.zeros((0, 2), np.int32)

CLOSING_SPEED = 10.0  # Closing speed (m/s) up to which surfaces are candidates before they meet
WIDENING = 2.0  # Factor on the look-ahead distance for pairs that a trial has shown to meet
SPACING = 0.03  # Least distance (m) between contacts of one geom with a height field


class ContactCandidates:
    """Finds surfaces that are close, and writes contact rows for them."""

    def __init__(self, model: mujoco.MjModel, step: float) -> None:
        """Set the collision margins of `model` to the look-ahead distance for steps of `step` s."""
        self.look_ahead = CLOSING_SPEED * step  # m
        self.furthest = self.look_ahead  # m: look-ahead distance used in this step
        _set_collision_margins(model, self.look_ahead)
        self._model = model
        self.uneven = (model.geom_type == mujoco.mjtGeom.mjGEOM_HFIELD).astype(np.int64)
        self._some_uneven = bool(self.uneven.any())
        self._found: list[NDArray[Any]] = []
        self.geoms = NO_PAIRS

    def find(self, data: mujoco.MjData) -> None:
        """Find the candidates at the present pose."""
        self.furthest = self.look_ahead
        mujoco.mj_collision(self._model, data)
        if data.ncon == 0:
            self._found, self.geoms = [], NO_PAIRS
            return
        found = data.contact
        parts = [found.pos, found.frame, found.dist, found.geom, found.friction]
        if self._some_uneven:
            kept = thin_height_field_contacts(parts[0], parts[1], parts[2], parts[3], self.uneven, SPACING)
            parts = [part[kept] for part in parts]
        else:
            parts[3] = parts[3].copy()  # a copy: the next collision overwrites MuJoCo's memory
        self._found, self.geoms = parts, parts[3]

    def write_rows(self, work: Workspace) -> None:
        """Write contact rows for the candidates into the workspace."""
        if not self._found:
            work.counts[CONTACTS] = 0
            return
        if len(self.geoms) > work.contact_room:
            work.reserve(2 * len(self.geoms), work.grip_room)
        write_contact_rows(work.table, *self._found)

    def widen_search(self, qpos: NDArray[np.float64], pairs: Collection[tuple[int, int]]) -> bool:
        """Append candidates of the given geom pairs found at a larger distance; True if there are any.

        Height fields are excluded: MuJoCo reports at most fifty contacts with one, and a larger distance would use
        them up.
        """
        model, data = self._wide_model
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)
        found = data.contact
        known = self.geoms.tolist()
        new = [
            i
            for i, pair in enumerate(found.geom.tolist())
            if tuple(pair) in pairs and not self.uneven[pair].any() and not self._is_known(known, pair, found.pos[i])
        ]
        if not new:
            return False
        parts = [part[new] for part in (found.pos, found.frame, found.dist, found.geom, found.friction)]
        if self._found:
            parts = [np.concatenate(both) for both in zip(self._found, parts, strict=True)]
        self._found, self.geoms = parts, parts[3]
        self.furthest = WIDENING * self.look_ahead
        return True

    def _is_known(self, known: list[list[int]], pair: list[int], point: NDArray[np.float64]) -> bool:
        mine = [i for i, other in enumerate(known) if other == pair]
        return bool(mine) and float(np.linalg.norm(self._found[0][mine] - point, axis=1).min()) < 1e-3

    @cached_property
    def _wide_model(self) -> tuple[mujoco.MjModel, mujoco.MjData]:
        model = copy.copy(self._model)
        _set_collision_margins(model, WIDENING * self.look_ahead)
        return model, mujoco.MjData(model)


def _set_collision_margins(model: mujoco.MjModel, distance: float) -> None:
    """Set margins so that MuJoCo finds surfaces up to `distance` m apart: MuJoCo adds the margins of both geoms."""
    for margin in (model.geom_margin, model.body_margin):  # the broad phase uses the margins of the bodies
        margin[margin > 0] = distance / 2
