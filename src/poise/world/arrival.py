"""Where a step really takes surfaces, against what its rows foresaw.

A gap is closed along the normal that it has at the start of the step. A limb that swings round the edge of a stair
would be stopped although it passes by, another one in the air, and one that whips down would sink in. So steps in
which that may be are tried out: what is stopped although it does not meet anything is let go, and the rows of what is
met too early or too late are given the gap that it really ends with. Rows and truth then agree, as a rule.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np

from poise.arrays import Array
from poise.contact.fast_motion import doubtful
from poise.contact.height_field import UPWARD
from poise.contact.rows import FASTEST_RECOVERY
from poise.dynamics.mechanism import Mechanism
from poise.dynamics.terms import Terms
from poise.dynamics.workspace import CLOSED, CLOSING, CONTACTS, IGNORED, Workspace
from poise.world.candidates import Candidates

Pair = tuple[int, int]

GHOST = 2e-3
"""m: surfaces further apart than this at the end of a step have not touched in it."""
HIT = -1e-3
"""m: a ghost that sinks in by more once it is left out is real after all."""
EARLY = 5e-3
"""m: what is stopped further away than this, and yet is hit without its row, is met anew."""
SUNK = 3e-3
"""m: surfaces that end deeper than their rows allow, by more than this, are met anew."""
BESIDE = 0.05
"""m: a candidate that is no further from where surfaces sink in is the one that is wrong."""
TRIES = 8
"""Times in a step that rows are given other gaps."""


class SurfacePair(NamedTuple):
    """Two surfaces at the end of a step."""

    gap: float  # m
    point: Array  # (3,) m


class Arrivals:
    """Judges a solved step by the pose that it leads to."""

    def __init__(
        self, terms: Terms, mechanism: Mechanism, candidates: Candidates, step: float, recovery: float
    ) -> None:
        self._terms, self._mechanism, self._candidates = terms, mechanism, candidates
        self._step, self._recovery = step, recovery
        self._trial = mujoco.MjData(terms.model)
        self._ghosts: dict[int, float] = {}  # contacts that are left out, and how far apart they ended, m
        self._real: set[int] = set()  # contacts that were ghosts, and were hit when they were left out
        self._tries = 0
        self._sought: set[Pair] = set()
        self.missed: set[Pair] = set()  # geoms that meet in this step, and have no candidate there

    def begin(self) -> None:
        """A step is to be solved."""
        self._tries = 0
        self.missed.clear()
        self._sought.clear()
        self.begin_again()

    def begin_again(self) -> None:
        """The same step is to be solved, with rows that were laid anew."""
        self._ghosts.clear()
        self._real.clear()

    def note_sought(self) -> None:
        """What was missed has been looked for."""
        self._sought |= self.missed
        self.missed.clear()

    def judge(self, work: Workspace, paths_known: bool) -> bool:
        """Change contacts that the solved velocities prove wrong; whether there were any, or some are missed.

        Gaps are put right only when rows follow the paths of the new velocity (``paths_known``).
        """
        geoms, look_ahead = self._candidates.geoms, self._candidates.look_ahead
        pressing = _pressing(work)
        if not pressing and not self._ghosts and not (paths_known and doubtful(work.table, geoms, look_ahead)):
            return False
        ends = self._ends(work)
        pairs: list[Pair] = [(first, second) for first, second in geoms.tolist()]
        if self._tell_ghosts(work, ends, pairs, pressing):
            return True
        if not paths_known or self._tries == TRIES:
            return False
        self._tries += 1
        later = self._meet_later(work, ends, pairs, pressing)
        return self._meet_earlier(work, ends, pairs) or later

    def _tell_ghosts(
        self, work: Workspace, ends: dict[Pair, SurfacePair], pairs: list[Pair], pressing: list[int]
    ) -> bool:
        """Leave out what pressed and ends apart; call back what is hit when it no longer resists."""
        kind, offset = work.contact_kind, work.contact_offset
        hit = [c for c in self._ghosts if _gap(ends, pairs[c]) < HIT]
        for c in hit:
            offset[3 * c] += self._ghosts.pop(c) / self._step  # it is real, but was stopped too early
            kind[c] = CLOSING
            self._real.add(c)
        apart = [c for c in pressing if c not in self._real and _gap(ends, pairs[c]) > GHOST]
        for c in apart:
            self._ghosts[c] = min(_gap(ends, pairs[c]), self._candidates.look_ahead)
            kind[c] = IGNORED
        return bool(hit or apart)

    def _meet_later(
        self, work: Workspace, ends: dict[Pair, SurfacePair], pairs: list[Pair], pressing: list[int]
    ) -> bool:
        """Give what was stopped in the air the way that is left."""
        early = [c for c in pressing if EARLY < _gap(ends, pairs[c]) < np.inf]
        for c in early:
            work.contact_offset[3 * c] += _gap(ends, pairs[c]) / self._step
        return bool(early)

    def _meet_earlier(self, work: Workspace, ends: dict[Pair, SurfacePair], pairs: list[Pair]) -> bool:
        """Have rows know how deep surfaces would sink in."""
        changed = False
        for pair, end in ends.items():
            if end.gap > -SUNK:
                continue
            mine = [c for c, other in enumerate(pairs) if other == pair]
            if any(work.contact_kind[c] == IGNORED for c in mine):
                continue  # a hand and what it holds, or a ghost
            near, away = self._nearest(work, mine, end.point)
            if away > BESIDE and pair not in self._sought and not self._candidates.uneven[list(pair)].any():
                self.missed.add(pair)
                changed = True
            elif near is not None:
                changed = self._tighten(work, near, end.gap) or changed
        return changed

    def _tighten(self, work: Workspace, c: int, gap: float) -> bool:
        """Make a row's gap at the end of the step the true one; whether it is deeper than the row allows."""
        first, h = float(work.contact_gap[c]), self._step
        allowed = 0.0 if first > 0 else first - h * max(self._recovery * first, -FASTEST_RECOVERY)
        if gap > allowed - SUNK:
            return False
        foreseen = work.contact_jacobian[3 * c] @ work.velocity
        offset = max((gap - allowed) / h - foreseen, -FASTEST_RECOVERY)
        if offset >= work.contact_offset[3 * c]:
            return False
        work.contact_offset[3 * c] = offset
        return True

    def _nearest(self, work: Workspace, candidates: list[int], point: Array) -> tuple[int | None, float]:
        """The candidate whose point is carried nearest to a point, and how near, m."""
        best, least = None, np.inf
        for c in candidates:
            for body in (work.contact_body[c], work.contact_other[c]):
                away = float(np.linalg.norm(self._carried(body, work.contact_point[c]) - point))
                if away < least:
                    best, least = c, away
        return best, least

    def _carried(self, body: int, point: Array) -> Array:
        """Where a body takes a point by the end of the step."""
        data, trial = self._terms.data, self._trial
        local = data.xmat[body].reshape(3, 3).T @ (point - data.xpos[body])
        return np.asarray(trial.xpos[body] + trial.xmat[body].reshape(3, 3) @ local)

    def _ends(self, work: Workspace) -> dict[Pair, SurfacePair]:
        """Surfaces that are close at the end of the step, for each pair of geoms where they are nearest."""
        model, trial = self._terms.model, self._trial
        self._go_to_end(work)
        mujoco.mj_collision(model, trial)
        found = trial.contact
        uneven = self._candidates.uneven
        ends: dict[Pair, SurfacePair] = {}
        for i, ((first, second), gap) in enumerate(zip(found.geom.tolist(), found.dist.tolist(), strict=True)):
            inner_wall = uneven[first] and found.frame[i, 2] < UPWARD
            if not inner_wall and gap < _gap(ends, (first, second)):
                ends[first, second] = SurfacePair(gap, found.pos[i].copy())
        return ends

    def _go_to_end(self, work: Workspace) -> None:
        """Bring the trial to the pose at the end of the step, centres of mass included."""
        model, trial, tree, h = self._terms.model, self._trial, self._mechanism, self._step
        trial.qpos[:] = self._terms.data.qpos
        mujoco.mj_integratePos(model, trial.qpos, work.velocity, h)
        mujoco.mj_kinematics(model, trial)
        mujoco.mj_comPos(model, trial)
        gained = work.momentum + work.constraint + h * (work.external + work.applied)
        for dof, body, mass, place in zip(tree.tree_dof, tree.tree_body, tree.tree_mass, tree.tree_qpos, strict=True):
            speed = gained[dof : dof + 3] / mass + h * model.opt.gravity
            trial.qpos[place : place + 3] += self._terms.data.subtree_com[body] + h * speed - trial.subtree_com[body]
        mujoco.mj_kinematics(model, trial)


def _pressing(work: Workspace) -> list[int]:
    """Contacts that were far when the step began, and are pressed."""
    if not work.counts[CLOSED]:
        return []
    count = int(work.counts[CONTACTS])
    pressing = (work.contact_kind[:count] == CLOSING) & (work.contact_impulse[: 3 * count : 3] > 0)
    found: list[int] = pressing.nonzero()[0].tolist()
    return found


def _gap(ends: dict[Pair, SurfacePair], pair: Pair) -> float:
    """m: infinite where two surfaces are not close."""
    return ends[pair].gap if pair in ends else np.inf
