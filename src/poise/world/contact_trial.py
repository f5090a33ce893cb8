"""Trial of a solved step: compare the predicted gaps with the pose after the step, and correct the contact rows.

A row predicts its gap along the normal at the start of the step. For a limb that swings past the edge of a stair the
prediction may fail: the limb is stopped although it touches nothing (a ghost contact), or too early, or it sinks in.
Doubtful steps are therefore tried out. Ghosts are left out; other wrong rows get the gap found by the trial.
"""

from typing import NamedTuple

import mujoco
import numpy as np

from poise.arrays import Array
from poise.contact.rows import FASTEST_RECOVERY
from poise.dynamics.mechanism import DynamicsTerms, Mechanism
from poise.dynamics.workspace import CLOSED, CLOSING, CONTACTS, IGNORED, TOUCHED, Workspace
from poise.world.candidates import UPWARD, ContactCandidates

Pair = tuple[int, int]

GHOST = 2e-3  # Gap (m) at the end of the step beyond which a contact that carries an impulse is a ghost
HIT = -1e-3  # Gap (m) below which a ghost that was left out is a real contact after all
EARLY = 5e-3  # Gap (m) at the end of the step beyond which a real contact acted too early
SUNK = 3e-3  # Excess (m) of the final depth over the depth that a row allows, at which the row is tightened
BESIDE = 0.05  # Distance (m) from a penetration within which a candidate is responsible for it
TRIES = 8  # Most corrections of gaps in a step


class ClosestPoints(NamedTuple):
    """Closest points of two surfaces at the end of a step."""

    gap: float  # m
    point: Array  # (3,) m


_FAR = ClosestPoints(np.inf, np.zeros(3))  # of surfaces that are not close at the end of the step


class ContactTrial:
    """Checks and corrects the contact rows of a solved step by a trial of the pose after the step."""

    def __init__(
        self, terms: DynamicsTerms, mechanism: Mechanism, candidates: ContactCandidates, step: float, recovery: float
    ) -> None:
        self._terms, self._mechanism, self._candidates = terms, mechanism, candidates
        self._step, self._recovery = step, recovery
        self._trial = mujoco.MjData(terms.model)
        self._ghosts: dict[int, float] = {}  # contacts left out, with their gap (m) at the end of the trial
        self._real: set[int] = set()  # contacts that sank in when left out as ghosts
        self._eased: set[int] = set()  # contacts that touched before an impact, and need no further look
        self._tries = 0
        self._searched: set[Pair] = set()
        self.missed: set[Pair] = set()  # geoms that meet in this step without a candidate there

    def begin_step(self) -> None:
        """Reset for a new step."""
        self._tries = 0
        self.missed.clear()
        self._searched.clear()
        self.restart_step()

    def restart_step(self) -> None:
        """Reset for the same step with rewritten rows."""
        self._ghosts.clear()
        self._real.clear()
        self._eased.clear()

    def mark_searched(self) -> None:
        """Mark the missed pairs as searched for."""
        self._searched |= self.missed
        self.missed.clear()

    def correct_rows(self, work: Workspace, paths_known: bool, struck: bool) -> bool:
        """Correct contacts that the solved velocities contradict; True if any were changed or are missing.

        Gaps are corrected only when the rows have the curvature of the solved velocity (`paths_known`). After an impact
        (`struck`) they may have that of a velocity before the last solve.
        """
        pressing = _pressing_contacts(work)
        doubtful = paths_known and (struck or self._candidates.may_mislead(work))
        if not pressing and not self._ghosts and not doubtful:
            return False
        ends = self._gaps_after_step(work)
        pairs: list[Pair] = [(first, second) for first, second in self._candidates.geoms.tolist()]
        if self._leave_out_ghosts(work, ends, pairs, pressing):
            return True
        if not paths_known or self._tries == TRIES:
            return False
        self._tries += 1
        bearing = [c for c in _pressing_contacts(work, TOUCHED) if struck and c not in self._eased]
        self._eased.update(bearing)
        later = self._loosen_early_rows(work, ends, pairs, [*pressing, *bearing])
        return self._tighten_deep_rows(work, ends, pairs) or later

    def _leave_out_ghosts(
        self, work: Workspace, ends: dict[Pair, ClosestPoints], pairs: list[Pair], pressing: list[int]
    ) -> bool:
        """Leave out contacts that press although the surfaces end the step apart; restore those that then sink in."""
        kind, offset = work.contact_kind, work.contact_offset
        hit = [c for c in self._ghosts if ends.get(pairs[c], _FAR).gap < HIT]
        for c in hit:
            offset[3 * c] += self._ghosts.pop(c) / self._step  # real, but stopped too early
            kind[c] = CLOSING
            self._real.add(c)
        apart = [c for c in pressing if c not in self._real and ends.get(pairs[c], _FAR).gap > GHOST]
        for c in apart:
            self._ghosts[c] = min(ends.get(pairs[c], _FAR).gap, self._candidates.look_ahead)
            kind[c] = IGNORED
        return bool(hit or apart)

    def _loosen_early_rows(
        self, work: Workspace, ends: dict[Pair, ClosestPoints], pairs: list[Pair], pressing: list[int]
    ) -> bool:
        """Add the remaining gap to rows that stopped surfaces in the air."""
        gaps = {c: min(ends.get(pairs[c], _FAR).gap, self._candidates.look_ahead) for c in pressing}
        early = [c for c in pressing if gaps[c] > EARLY]
        for c in early:
            work.contact_offset[3 * c] += gaps[c] / self._step
        return bool(early)

    def _tighten_deep_rows(self, work: Workspace, ends: dict[Pair, ClosestPoints], pairs: list[Pair]) -> bool:
        """Tighten rows whose surfaces sink in; note pairs without a candidate near the penetration."""
        changed = False
        for pair, end in ends.items():
            if end.gap > -SUNK:
                continue
            mine = [c for c, other in enumerate(pairs) if other == pair]
            if any(work.contact_kind[c] == IGNORED for c in mine):
                continue  # bodies that grip each other, or a ghost
            near, away = self._nearest_candidate(work, mine, end.point)
            if away > BESIDE and pair not in self._searched and not self._candidates.uneven[list(pair)].any():
                self.missed.add(pair)
                changed = True
            elif near is not None:
                changed = self._tighten_row(work, near, end.gap) or changed
        return changed

    def _tighten_row(self, work: Workspace, c: int, gap: float) -> bool:
        """Give a row the true gap (m) at the end of the step; True if it is deeper than the row allowed."""
        first, h = float(work.contact_gap[c]), self._step
        allowed = 0.0 if first > 0 else first - h * max(self._recovery * first, -FASTEST_RECOVERY)
        if gap > allowed - SUNK:
            return False
        predicted = work.contact_jacobian[3 * c] @ work.velocity
        offset = max((gap - allowed) / h - predicted, -FASTEST_RECOVERY)
        if offset >= work.contact_offset[3 * c]:
            return False
        work.contact_offset[3 * c] = offset
        return True

    def _nearest_candidate(self, work: Workspace, candidates: list[int], point: Array) -> tuple[int | None, float]:
        """Candidate whose point ends the step nearest to a point, and that distance, m."""
        best, least = None, np.inf
        for c in candidates:
            for body in (work.contact_body[c], work.contact_other[c]):
                away = float(np.linalg.norm(self._point_after_step(body, work.contact_point[c]) - point))
                if away < least:
                    best, least = c, away
        return best, least

    def _point_after_step(self, body: int, point: Array) -> Array:
        """World position (3,) at the end of the step of a point that moves with a body."""
        data, trial = self._terms.data, self._trial
        local = data.xmat[body].reshape(3, 3).T @ (point - data.xpos[body])
        return np.asarray(trial.xpos[body] + trial.xmat[body].reshape(3, 3) @ local)

    def _gaps_after_step(self, work: Workspace) -> dict[Pair, ClosestPoints]:
        """Closest points of each pair of geoms that is close at the end of the step."""
        model, trial = self._terms.model, self._trial
        self._set_trial_pose(work)
        mujoco.mj_collision(model, trial)
        found = trial.contact
        uneven = self._candidates.uneven
        ends: dict[Pair, ClosestPoints] = {}
        gaps = found.dist - np.minimum(found.includemargin, 0.0)
        for i, ((first, second), gap) in enumerate(zip(found.geom.tolist(), gaps.tolist(), strict=True)):
            inner_wall = uneven[first] and found.frame[i, 2] < UPWARD
            if not inner_wall and gap < ends.get((first, second), _FAR).gap:
                ends[first, second] = ClosestPoints(gap, found.pos[i].copy())
        return ends

    def _set_trial_pose(self, work: Workspace) -> None:
        """Set the trial to the pose at the end of the step, with the exact centres of mass."""
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


def _pressing_contacts(work: Workspace, kind: int = CLOSING) -> list[int]:
    """Contacts of a kind, by default open at the start of the step, that carry an impulse."""
    if kind == CLOSING and not work.counts[CLOSED]:
        return []
    count = int(work.counts[CONTACTS])
    pressing = (work.contact_kind[:count] == kind) & (work.contact_impulse[: 3 * count : 3] > 0)
    found: list[int] = pressing.nonzero()[0].tolist()
    return found
