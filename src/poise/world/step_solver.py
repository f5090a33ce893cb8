"""The solve of a step: contacts, limits, grips and saturated torques, all consistent with each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import mujoco
import numpy as np

from poise.arrays import Array
from poise.contact.assembly import AGAIN, BLOCK_PASSES, BLOWN, begin, conclude, free_motion, problem_of
from poise.contact.problem import ContactProblem, ContactSolution, Status, polygon
from poise.contact.rows import bend, drift, jolt
from poise.contact.solver import NO_MODES, Modes, solve_contacts
from poise.dynamics.terms import Terms
from poise.dynamics.workspace import CONTACTS, GRIP_ROWS, TOUCHED, UNILATERAL, Workspace
from poise.errors import PoiseError
from poise.world.arrival import Arrivals
from poise.world.candidates import NO_PAIRS, Candidates, Pairs
from poise.world.settings import WorldSettings

NO_FEEDBACK = np.zeros((0, 0))
NOTHING = ContactSolution(np.zeros(0), 0.0, 0, Status.EXACT, NO_MODES)

JOLT = 1.2e-5
"""m s: contact points that change their velocity by more than this over the square of the step are hit, and their path
is taken anew; what they would miss it by grows with that square."""
BENDS = 3
"""Times in a step that paths are taken anew."""


class Blown(Exception):
    """A velocity that is not finite, or far too fast."""


class Solved(NamedTuple):
    """A step that is solved; its velocities are in the workspace."""

    solution: ContactSolution
    weakest: float  # share of the motors' strength that the weakest kept
    kept: float  # share of the feedback that was kept
    looked_ahead: float  # m: how far apart contacts may have been at the start of the step


class StepSolver:
    """Solves steps on a workspace."""

    def __init__(
        self,
        settings: WorldSettings,
        terms: Terms,
        work: Workspace,
        candidates: Candidates,
        arrivals: Arrivals,
        lay_rows: Callable[[], object],
    ) -> None:
        """``lay_rows`` makes the rows of the candidates, limits and grips anew."""
        self._settings, self._terms, self._work = settings, terms, work
        self._candidates, self._arrivals, self._lay_rows = candidates, arrivals, lay_rows
        self._directions = polygon(settings.sides)
        self._jolt = JOLT / settings.step**2  # m/s
        self.forget()

    def forget(self) -> None:
        """Begin the next solve from nothing."""
        self.memory: tuple[Pairs, Modes] = (NO_PAIRS, NO_MODES)  # surfaces that touched in the last step, and how

    def solve(self, feedback: Array | None) -> Solved:
        """Velocities at the end of the step."""
        work = self._work
        table = work.table
        feedback = self._checked(feedback)
        kept, passes, bends = 1.0, 0, 0
        assumed = self._terms.data.qvel.copy()  # of which the rows have the paths
        self._arrivals.begin()
        while True:
            passes += 1
            # Feedback refers to the frames that the controller saw: with it they do not turn.
            rows = begin(table, not feedback.size) if passes == 1 else free_motion(table)
            solution = self._solve_rows(rows, feedback) if rows else NOTHING
            if solution.status == Status.APPROXIMATE and self._settings.solver == "lemke" and kept and feedback.size:
                # With strong feedback the problem need not have a solution: weaken it, then drop it.
                kept = 0.1 if kept == 1.0 else 0.0
                feedback = kept * feedback if kept else NO_FEEDBACK
                continue
            verdict = conclude(table, solution.impulse, feedback, passes)
            if verdict == AGAIN:
                continue
            if verdict == BLOWN:
                raise Blown
            paths_known = bends == BENDS or not rows or jolt(table, assumed) < self._jolt
            # Rows laid anew are a new problem, with its own passes for the limits, unless motors were weakened already.
            passes = 1 if passes <= BLOCK_PASSES else passes
            if self._arrivals.judge(work, paths_known):
                if self._arrivals.missed and self._look_further():
                    table, passes, bends = work.table, 0, 0
                    assumed[:] = self._terms.data.qvel
                    feedback = self._padded(feedback)
                continue
            if paths_known:
                break
            bends += 1
            assumed[:] = work.velocity
            self.bend()
        weakest = 1.0 if passes <= BLOCK_PASSES else float(work.strength.min())
        return Solved(solution, weakest, kept, self._candidates.furthest)

    def _checked(self, feedback: Array | None) -> Array:
        wanted = (self._terms.model.nv, 3 * int(self._work.counts[CONTACTS]))
        feedback = NO_FEEDBACK if feedback is None else np.ascontiguousarray(feedback)
        if feedback.size and feedback.shape != wanted:
            raise PoiseError(f"feedback is {feedback.shape}, must be {wanted}")
        return feedback

    def _solve_rows(self, rows: int, feedback: Array) -> ContactSolution:
        """The contact problem of the rows in use."""
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
        """Those of the last step, if the same surfaces touch; else none."""
        before, last = self.memory
        return last if pairs.tobytes() == before.tobytes() else NO_MODES

    def _look_further(self) -> bool:
        """Take candidates of surfaces that meet although they were too far away, and begin the step again."""
        found = self._candidates.look_further(self._terms.data.qpos, self._arrivals.missed)
        self._arrivals.note_sought()
        if found:
            self._arrivals.begin_again()
            self._lay_rows()
        return found

    def _padded(self, feedback: Array) -> Array:
        """Contacts that the controller has not seen give no feedback."""
        new = 3 * int(self._work.counts[CONTACTS]) - feedback.shape[1]
        return np.pad(feedback, ((0, 0), (0, new))) if feedback.size else feedback

    def bend(self) -> None:
        """After a hit, have the contact rows follow the path of the new velocity instead of the old one's."""
        model, data, work = self._terms.model, self._terms.data, self._work
        before = data.qvel.copy()
        drift(work.table)
        data.qvel[:] = work.velocity
        mujoco.mj_comVel(model, data)
        bias = np.empty(model.nv)
        mujoco.mj_rne(model, data, 0, bias)
        bend(work.table, self._candidates.geoms, bias)
        data.qvel[:] = before
