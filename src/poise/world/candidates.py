"""Contact candidates: pairs of surface points that may touch within the step."""

import copy
from collections.abc import Collection
from functools import cached_property
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Ints, Mask
from poise.contact.gap_prediction import closing_speeds, may_mispredict_gaps
from poise.contact.rows import write_contact_rows
from poise.dynamics.workspace import CONTACTS, Pairs, Workspace
from poise.kernel import Table, kernel

UPWARD = 0.5
"""Least z of the normal of a height field's surface; a smaller one belongs to a side of one of MuJoCo's prisms."""


@kernel
def thin_height_field_contacts(
    position: Array, frame: Array, distance: Array, geom: Pairs, uneven: Ints, spacing: float
) -> Ints:
    """Indices of the contacts to keep: all but the redundant ones with height fields.

    `uneven` (ngeom,) is 1 for height fields. MuJoCo reports a contact for every triangle near a limb: contacts of one
    geom are kept at least `spacing` m apart, the deepest first. Contacts with the inner walls between triangles are
    spurious and are dropped.
    """
    order = np.argsort(distance, kind="mergesort")
    kept = np.empty(order.shape[0], np.int64)
    count = 0
    for c in order:
        dropped = False
        if uneven[geom[c, 0]] == 1:
            dropped = frame[c, 2] < UPWARD
            for k in kept[:count]:
                if geom[k, 0] == geom[c, 0] and geom[k, 1] == geom[c, 1]:
                    square = 0.0
                    for i in range(3):
                        square += (position[k, i] - position[c, i]) ** 2
                    dropped = dropped or square < spacing * spacing
        if not dropped:
            kept[count] = c
            count += 1
    return np.sort(kept[:count])


NO_PAIRS: Pairs = np.zeros((0, 2), np.int32)

CLOSING_SPEED = 10.0  # Closing speed (m/s) up to which surfaces are candidates before they meet
WIDENING = 2.0  # Factor on the look-ahead distance for pairs that a trial has shown to meet
SPACING = 0.03  # Least distance (m) between contacts of one geom with a height field

SELF_SPEED = 1.0  # Look-ahead (m/s) of links of one body, beyond SELF_FACTOR times their present closing speed
SELF_FACTOR = 1.25
NEVER = 1e3  # Overlap (m) at which pairs touch that make no contact


class ContactCandidates:
    """Finds surfaces that are close, and writes contact rows for them."""

    def __init__(self, model: mujoco.MjModel, step: float, own: Mask | None = None) -> None:
        """Set the margins of `model` for steps of `step` s; `own` (npair,): which pairs of one body's links touch."""
        self.look_ahead = CLOSING_SPEED * step  # m
        self.furthest = self.look_ahead  # m: look-ahead distance used in this step
        _set_collision_margins(model, self.look_ahead)
        self._model, self._step = model, step
        self._own = np.arange(model.npair)[own] if own is not None else np.arange(model.npair)
        self.own_pairs = np.stack([model.pair_geom1, model.pair_geom2], axis=1)[self._own]  # (k, 2) geoms
        self.own_reach = np.zeros(len(self._own))  # (k,) m: look-ahead distance of each, which depends on its speed
        idle = np.setdiff1d(np.arange(model.npair), self._own)
        model.pair_margin[idle], model.pair_gap[idle] = -NEVER, NEVER
        self.uneven = (model.geom_type == mujoco.mjtGeom.mjGEOM_HFIELD).astype(np.int64)
        self._some_uneven = bool(self.uneven.any())
        self._found: list[NDArray[Any]] = []
        self.geoms = NO_PAIRS
        self.outer = 0  # number of candidates between the body and its surroundings, which come first

    def find(self, data: mujoco.MjData, table: Table) -> None:
        """Find the candidates at the present pose, whose kinematics and velocity are in the table."""
        self.furthest = self.look_ahead
        if len(self._own):  # their margins: how far they may travel towards each other in the step
            speed = closing_speeds(table, data.qvel, self.own_pairs)
            self.own_reach = np.minimum(self._step * (SELF_SPEED + SELF_FACTOR * speed), self.look_ahead)
            self._model.pair_gap[self._own] = self.own_reach - self._model.pair_margin[self._own]
        mujoco.mj_collision(self._model, data)
        if data.ncon == 0:
            self._found, self.geoms, self.outer = [], NO_PAIRS, 0
            return
        found = data.contact
        parts = [found.pos, found.frame, found.dist, found.geom, found.friction]
        self.outer = len(parts[0])
        if self._model.npair:
            parts = self._own_last(parts, found.includemargin)
        if self._some_uneven:
            kept = thin_height_field_contacts(parts[0], parts[1], parts[2], parts[3], self.uneven, SPACING)
            parts = [part[kept] for part in parts]
            self.outer = int(np.count_nonzero(kept < self.outer))
        else:
            parts[3] = parts[3].copy()  # a copy: the next collision overwrites MuJoCo's memory
        self._found, self.geoms = parts, parts[3]

    def _own_last(self, parts: list[NDArray[Any]], margin: Array) -> list[NDArray[Any]]:
        """The contacts; those between links of one body come last, and their distance is 0 where they touch.

        Only their margin is negative: minus the overlap at which they touch. See `poise.body.self_contact`.
        """
        own = margin < 0
        self.outer = int(np.count_nonzero(~own))
        if self.outer == len(own):
            return parts
        parts[2] = parts[2] - np.minimum(margin, 0.0)
        order = np.argsort(own, kind="stable")
        return [part[order] for part in parts]

    def write_rows(self, work: Workspace) -> None:
        """Write contact rows for the candidates into the workspace."""
        if not self._found:
            work.counts[CONTACTS] = 0
            return
        if len(self.geoms) > work.contact_room:
            work.reserve(2 * len(self.geoms), work.grip_room)
        write_contact_rows(work.table, *self._found)

    def may_mislead(self, work: Workspace) -> bool:
        """Whether surfaces may meet, in the solved step, where their rows do not foresee it."""
        return may_mispredict_gaps(work.table, self.geoms, self.look_ahead, self.own_pairs, self.own_reach)

    def widen_search(self, qpos: Array, pairs: Collection[tuple[int, int]]) -> bool:
        """Append candidates of geom pairs further away; True if any. MuJoCo's contacts with height fields run out."""
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
        away = found.dist - np.minimum(found.includemargin, 0.0)
        parts = [part[new] for part in (found.pos, found.frame, away, found.geom, found.friction)]
        outer = np.concatenate([np.arange(len(self.geoms)) < self.outer, found.includemargin[new] >= 0])
        if self._found:
            parts = [np.concatenate(both) for both in zip(self._found, parts, strict=True)]
        parts = [part[np.argsort(~outer, kind="stable")] for part in parts]
        self._found, self.geoms, self.outer = parts, parts[3], int(np.count_nonzero(outer))
        self.furthest = WIDENING * self.look_ahead
        return True

    def _is_known(self, known: list[list[int]], pair: list[int], point: Array) -> bool:
        mine = [i for i, other in enumerate(known) if other == pair]
        return bool(mine) and float(np.linalg.norm(self._found[0][mine] - point, axis=1).min()) < 1e-3

    @cached_property
    def _wide_model(self) -> tuple[mujoco.MjModel, mujoco.MjData]:
        model = copy.copy(self._model)
        _set_collision_margins(model, WIDENING * self.look_ahead)
        model.pair_gap[self._own] = WIDENING * self.look_ahead - model.pair_margin[self._own]
        return model, mujoco.MjData(model)


def _set_collision_margins(model: mujoco.MjModel, distance: float) -> None:
    """Set margins so that MuJoCo finds surfaces up to `distance` m apart: MuJoCo adds the margins of both geoms."""
    for margin in (model.geom_margin, model.body_margin):  # the broad phase uses the margins of the bodies
        margin[margin > 0] = distance / 2
