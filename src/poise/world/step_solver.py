"""Solve the velocities of a step: contacts, limits, grips and torque limits together."""

from collections.abc import Callable
from typing import NamedTuple

import mujoco
import numpy as np

from poise.arrays import Array
from poise.contact import assembly
from poise.contact.joint_limits import bend_limit_rows
from poise.contact.problem import ContactProblem, ContactSolution, LcpStatus, friction_polygon
from poise.contact.rows import impact_speed, update_contact_curvature, write_com_drift
from poise.contact.solver import NO_MODES, Modes, solve_contacts
from poise.dynamics.mechanism import DynamicsTerms
from poise.dynamics.workspace import CONTACTS, GRIP_ROWS, TOUCHED, UNILATERAL, Pairs, Workspace
from poise.errors import PoiseError
from poise.world.candidates import NO_PAIRS, ContactCandidates
from poise.world.contact_trial import ContactTrial
from poise.world.settings import WorldSettings

NO_FEEDBACK = np.zeros((0, 0))
NO_CONTACTS = ContactSolution(np.zeros(0), 0.0, 0, LcpStatus.EXACT, NO_MODES)

IMPACT = 1.2e-5
"""Impact threshold (m s): contact curvature is recomputed with the new velocity when the velocity of a contact point
changes by more than IMPACT / h^2."""
CURVATURE_UPDATES = 3  # Most recomputations of the curvature in a step, of contacts and of joint limits


class StepDiverged(Exception):
    """A velocity is not finite, or beyond `WorldSettings.fastest`."""


class SolvedStep(NamedTuple):
    """A solved step; its velocities are in the workspace."""

    solution: ContactSolution
    weakest: float  # smallest share of actuation that a joint kept
    kept: float  # share of the contact feedback that was used
    looked_ahead: float  # m: look-ahead distance of the contact candidates


class StepSolver:
    """Solves steps on a workspace; remembers contact modes from step to step."""

    def __init__(
        self, settings: WorldSettings, terms: DynamicsTerms, work: Workspace, candidates: ContactCandidates,
        trial: ContactTrial, write_rows: Callable[[], None],
    ) -> None:  # fmt: skip
        """`write_rows` rewrites the rows of candidates, limits and grips."""
        self._settings, self._terms, self._work = settings, terms, work
        self._candidates, self._contact_trial, self._write_rows = candidates, trial, write_rows
        self._directions = friction_polygon(settings.sides)
        self._impact = IMPACT / settings.step**2  # m/s
        self.forget_modes()

    def forget_modes(self) -> None:
        """Drop the remembered contact modes."""
        self.memory: tuple[Pairs, Modes] = (NO_PAIRS, NO_MODES)  # touching pairs of the last step, and their modes

    def solve(self, feedback: Array | None) -> SolvedStep:
        """Solve the velocities at the end of the step; `feedback` is (nv, 3 c) N m per N s."""
        work = self._work
        table = work.table
        feedback = self._check_feedback(feedback)
        kept, passes, updates, bends, correcting = 1.0, 0, 0, 0, True
        assumed = self._terms.data.qvel.copy()  # velocity whose curvature the rows contain
        self._contact_trial.begin_step()
        while True:
            passes += 1
            # Feedback refers to the contact frames that the controller saw, so they must not turn.
            rows = (
                assembly.begin_contact_solve(table, not feedback.size)
                if passes == 1
                else assembly.solve_free_motion(table)
            )
            solution = self._solve_rows(rows, feedback) if rows else NO_CONTACTS
            if solution.status == LcpStatus.APPROXIMATE and self._settings.solver == "lemke" and kept and feedback.size:
                # With strong feedback the problem may have no solution: weaken the feedback, then drop it.
                kept = 0.1 if kept == 1.0 else 0.0
                feedback = kept * feedback if kept else NO_FEEDBACK
                continue
            verdict = assembly.conclude_contact_solve(table, solution.impulse, feedback, passes)
            if verdict == assembly.AGAIN:
                continue
            if verdict == assembly.DIVERGED:
                if not correcting:
                    raise StepDiverged
                correcting, passes = False, 0  # corrected rows may contradict each other: solve those first written
                self._write_rows()
                continue
            if not correcting:
                break
            paths_known = updates == CURVATURE_UPDATES or not rows or impact_speed(table, assumed) < self._impact
            # Changed rows are a new problem with its own passes for torque limits, unless motors were weakened already.
            passes = 1 if passes <= assembly.BLOCK_PASSES else passes
            if self._contact_trial.correct_rows(work, paths_known, updates > 0):
                if self._contact_trial.missed and self._widen_search():
                    table, passes, updates, bends = work.table, 0, 0, 0
                    assumed[:] = self._terms.data.qvel
                    feedback = self._pad_feedback(feedback)
                continue
            if bends < CURVATURE_UPDATES and bend_limit_rows(table):
                bends += 1
                continue
            if paths_known:
                break
            updates += 1
            assumed[:] = work.velocity
            self.update_curvature()
        weakest = 1.0 if passes <= assembly.BLOCK_PASSES else float(work.strength.min())
        return SolvedStep(solution, weakest, kept, self._candidates.furthest)

    def _check_feedback(self, feedback: Array | None) -> Array:
        wanted = (self._terms.model.nv, 3 * self._candidates.outer)
        feedback = NO_FEEDBACK if feedback is None else np.ascontiguousarray(feedback)
        if feedback.size and feedback.shape != wanted:
            raise PoiseError(f"actuation feedback has shape {feedback.shape}, must be {wanted}: (DOFs, 3 per contact)")
        return self._pad_feedback(feedback)

    def _solve_rows(self, rows: int, feedback: Array) -> ContactSolution:
        """Assemble and solve the contact problem of the rows in use."""
        work, counts = self._work, self._work.counts
        matrix, bias = assembly.assemble_contact_problem(work.table, rows, feedback)
        touched = work.contact_kind[: counts[CONTACTS]] == TOUCHED
        friction = work.contact_friction[: counts[CONTACTS]][touched]
        grips, unilateral = int(counts[GRIP_ROWS]), int(counts[UNILATERAL])
        problem = ContactProblem(matrix, bias, grips, unilateral, friction, self._directions)
        pairs, (before, modes) = self._candidates.geoms[touched], self.memory
        last = modes if pairs.tobytes() == before.tobytes() else NO_MODES  # start there if the same surfaces touch
        solution = solve_contacts(problem, self._settings.solver, last)
        self.memory = (pairs, solution.modes[unilateral:])
        return solution

    def _widen_search(self) -> bool:
        """Search further for the missed pairs; if any are found, restart the step with them."""
        found = self._candidates.widen_search(self._terms.data.qpos, self._contact_trial.missed)
        self._contact_trial.mark_searched()
        if found:
            self._contact_trial.restart_step()
            self._write_rows()
        return found

    def _pad_feedback(self, feedback: Array) -> Array:
        """Feedback with zero columns for contacts that the controller has not seen, which come last."""
        new = 3 * int(self._work.counts[CONTACTS]) - feedback.shape[1]
        return np.pad(feedback, ((0, 0), (0, new))) if feedback.size and new else feedback

    def update_curvature(self) -> None:
        """Recompute the curvature in the contact rows with the solved velocity, after an impact."""
        model, data, work = self._terms.model, self._terms.data, self._work
        before = data.qvel.copy()
        write_com_drift(work.table)
        data.qvel[:] = work.velocity
        mujoco.mj_comVel(model, data)
        bias = np.empty(model.nv)
        mujoco.mj_rne(model, data, 0, bias)
        update_contact_curvature(work.table, self._candidates.geoms, bias)
        data.qvel[:] = before
