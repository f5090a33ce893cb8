"""Solve the velocities of a step: contacts, limits, grips and torque limits together."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import mujoco
import numpy as np

from poise.arrays import Array
from poise.contact.assembly import AGAIN, BLOCK_PASSES, DIVERGED, begin, conclude, free_motion, problem_of
from poise.contact.problem import ContactProblem, ContactSolution, Status, polygon
from poise.contact.rows import drift, impact_speed, update_curvature
from poise.contact.solver import NO_MODES, Modes, solve_contacts
from poise.dynamics.mechanism import Terms
from poise.dynamics.workspace import CONTACTS, GRIP_ROWS, TOUCHED, UNILATERAL, Pairs, Workspace
from poise.errors import PoiseError
from poise.world.arrival import Arrivals
from poise.world.candidates import NO_PAIRS, Candidates
from poise.world.settings import WorldSettings

NO_FEEDBACK = np.zeros((0, 0))
NO_CONTACTS = ContactSolution(np.zeros(0), 0.0, 0, Status.EXACT, NO_MODES)

IMPACT = 1.2e-5
"""Impact threshold (m s): contact curvature is recomputed with the new velocity when that of a contact point changes by
more than IMPACT / h^2."""
CURVATURE_UPDATES = 3  # Most recomputations of the curvature in a step


class Diverged(Exception):
    """A velocity is not finite, or beyond `WorldSettings.fastest`."""


class Solved(NamedTuple):
    """A solved step; its velocities are in the workspace."""

    solution: ContactSolution
    weakest: float  # least share of its actuation that a joint kept
    kept: float  # share of the contact feedback that was used
    looked_ahead: float  # m: look-ahead distance of the contact candidates


class StepSolver:
    """Solves steps on a workspace; remembers contact modes from step to step."""

    def __init__(
        self,
        settings: WorldSettings,
        terms: Terms,
        work: Workspace,
        candidates: Candidates,
        arrivals: Arrivals,
        write_rows: Callable[[], object],
    ) -> None:
        """`write_rows` rewrites the rows of candidates, limits and grips."""
        self._settings, self._terms, self._work = settings, terms, work
        self._candidates, self._arrivals, self._write_rows = candidates, arrivals, write_rows
        self._directions = polygon(settings.sides)
        self._impact = IMPACT / settings.step**2  # m/s
        self.forget()

    def forget(self) -> None:
        """Drop the remembered contact modes."""
        self.memory: tuple[Pairs, Modes] = (NO_PAIRS, NO_MODES)  # touching pairs of the last step, and their modes

    def solve(self, feedback: Array | None) -> Solved:
        """Solve the velocities at the end of the step; `feedback` is (nv, 3 c) N m per N s."""
        work = self._work
        table = work.table
        feedback = self._checked(feedback)
        kept, passes, updates = 1.0, 0, 0
        assumed = self._terms.data.qvel.copy()  # velocity whose curvature the rows contain
        self._arrivals.begin()
        while True:
            passes += 1
            # Feedback refers to the contact frames that the controller saw, so they must not turn.
            rows = begin(table, not feedback.size) if passes == 1 else free_motion(table)
            solution = self._solve_rows(rows, feedback) if rows else NO_CONTACTS
            if solution.status == Status.APPROXIMATE and self._settings.solver == "lemke" and kept and feedback.size:
                # With strong feedback the problem may have no solution: weaken the feedback, then drop it.
                kept = 0.1 if kept == 1.0 else 0.0
                feedback = kept * feedback if kept else NO_FEEDBACK
                continue
            verdict = conclude(table, solution.impulse, feedback, passes)
            if verdict == AGAIN:
                continue
            if verdict == DIVERGED:
                raise Diverged
            paths_known = updates == CURVATURE_UPDATES or not rows or impact_speed(table, assumed) < self._impact
            # Changed rows are a new problem with its own passes for torque limits, unless motors were weakened already.
            passes = 1 if passes <= BLOCK_PASSES else passes
            if self._arrivals.judge(work, paths_known):
                if self._arrivals.missed and self._widen_search():
                    table, passes, updates = work.table, 0, 0
                    assumed[:] = self._terms.data.qvel
                    feedback = self._padded(feedback)
                continue
            if paths_known:
                break
            updates += 1
            assumed[:] = work.velocity
            self.update_curvature()
        weakest = 1.0 if passes <= BLOCK_PASSES else float(work.strength.min())
        return Solved(solution, weakest, kept, self._candidates.furthest)

    def _checked(self, feedback: Array | None) -> Array:
        wanted = (self._terms.model.nv, 3 * int(self._work.counts[CONTACTS]))
        feedback = NO_FEEDBACK if feedback is None else np.ascontiguousarray(feedback)
        if feedback.size and feedback.shape != wanted:
            raise PoiseError(f"actuation feedback has shape {feedback.shape}, must be {wanted}: (DOFs, 3 per contact)")
        return feedback

    def _solve_rows(self, rows: int, feedback: Array) -> ContactSolution:
        """Assemble and solve the contact problem of the rows in use."""
        work, counts = self._work, self._work.counts
        matrix, bias = problem_of(work.table, rows, feedback)
        touched = work.contact_kind[: counts[CONTACTS]] == TOUCHED
        friction = work.contact_friction[: counts[CONTACTS]][touched]
        problem = ContactProblem(
            matrix, bias, int(counts[GRIP_ROWS]), int(counts[UNILATERAL]), friction, self._directions
        )
        pairs = self._candidates.geoms[touched]
        solution = solve_contacts(problem, self._settings.solver, self._last_modes(pairs))
        self.memory = (pairs, solution.modes[problem.unilateral :])
        return solution

    def _last_modes(self, pairs: Pairs) -> Modes:
        """Modes of the last step if the same surfaces touch, else none."""
        before, last = self.memory
        return last if pairs.tobytes() == before.tobytes() else NO_MODES

    def _widen_search(self) -> bool:
        """Search further for the missed pairs; if any are found, restart the step with them."""
        found = self._candidates.widen_search(self._terms.data.qpos, self._arrivals.missed)
        self._arrivals.note_searched()
        if found:
            self._arrivals.restart()
            self._write_rows()
        return found

    def _padded(self, feedback: Array) -> Array:
        """Feedback with zero columns for contacts that the controller has not seen."""
        new = 3 * int(self._work.counts[CONTACTS]) - feedback.shape[1]
        return np.pad(feedback, ((0, 0), (0, new))) if feedback.size else feedback

    def update_curvature(self) -> None:
        """Recompute the curvature in the contact rows with the solved velocity, after an impact."""
        model, data, work = self._terms.model, self._terms.data, self._work
        before = data.qvel.copy()
        drift(work.table)
        data.qvel[:] = work.velocity
        mujoco.mj_comVel(model, data)
        bias = np.empty(model.nv)
        mujoco.mj_rne(model, data, 0, bias)
        update_curvature(work.table, self._candidates.geoms, bias)
        data.qvel[:] = before
