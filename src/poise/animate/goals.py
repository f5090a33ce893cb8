"""Evaluate the constraints of a goal in a rehearsal: sensors, rotations and flight predictions at given moments."""

from collections.abc import Sequence
from math import ceil, degrees, inf, isfinite, isnan, nan, remainder, tau

import numpy as np
from numpy.typing import NDArray

from poise.animate import script
from poise.animate.shooting import SimulationOutcome
from poise.arrays import Array
from poise.body.surface import descendant_links
from poise.control.poses.sensors import PoseControlSensor, sensed_com_velocity
from poise.dynamics.momentum import RotationIndices, whole_body_rotation
from poise.dynamics.state import State
from poise.reference.body_clip import centres_of_mass
from poise.rotations import quat_exp, quat_to_matrix
from poise.world.result import BlowUp
from poise.world.scene import Scene

FINEST = 1 / 120  # Largest integration step (s) of the predicted rotation

CLEAR = 4  # Steps without contact that count as a take-off; feet that push off may touch the ground again briefly
Members = NDArray[np.bool_]  # (nbody,) mask of links


class GoalEvaluator:
    """Simulates a goal and reads the value of each constraint at its moment."""

    def __init__(self, rehearsal: script.ScriptRehearsal, goal: script.Goal) -> None:
        self._goal, self._run = goal, rehearsal.run
        scene = self._run.world.scene
        self._sensors = [_constraint_sensor(scene, want.what) for want in goal.wants]
        self._own = scene.model.body_rootid == 1
        self._links = [_constraint_links(scene, want.when.link) for want in goal.wants]
        self._stand = float(centres_of_mass(scene.body, scene.body.standing[None])[0, 2])  # m, of the centre of mass

    def simulate_goal(self, slopes: bool = False) -> SimulationOutcome:
        """Simulate from the present state and return the value of each constraint; NaN if its moment does not come.

        The position of a link some time after its touch-down jumps when the touch-down moves to another step. The
        position at touch-down is smooth; with `slopes` only smooth values are needed, and the simulation ends earlier.
        """
        wants, world = self._goal.wants, self._run.world
        values, smooth = [nan] * len(wants), [nan] * len(wants)
        late = [want.when.time + world.settings.step for want in wants if want.when.event == "time"]
        end = max(world.time + self._goal.patience, *late, 0.0)
        events = GoalEvents(self._own, self._links)
        approaches = self._approaches()
        turned = np.zeros(3)
        try:
            while world.time < end and any(map(isnan, smooth if slopes else values)):
                bearing = script.links_touching_in_script(self._run.step(), self._own)
                state = world.state
                turned += world.settings.step * state.qvel[3:6]
                events.note_step(bearing, state)
                for k, approach in enumerate(approaches):
                    if not isnan(values[k]):
                        continue
                    due = events.is_due(k, wants[k], state)
                    if approach is not None and isnan(smooth[k]):
                        if events.touched_down[k] is not None:
                            smooth[k] = approach.value_at_touchdown
                        else:
                            approach.note_gap(state, self._read_want_value(k, state, turned))
                    if due:
                        at_once = approach is not None and wants[k].when.time == 0.0
                        values[k] = smooth[k] if at_once else self._read_want_value(k, state, turned)
                        smooth[k] = values[k] if approach is None else smooth[k]
        except BlowUp:
            pass
        return SimulationOutcome(np.array(values), np.array(smooth))

    def _approaches(self) -> "list[GoalTouchdownApproach | None]":
        """Per constraint: an approach if it is at a touch-down, or on a position some time later; otherwise None."""
        made: list[GoalTouchdownApproach | None] = []
        for want, sensor, links in zip(self._goal.wants, self._sensors, self._links, strict=True):
            place = sensor is not None and want.what.endswith((".x", ".y"))
            watched = want.when.event == "down" and (want.when.time == 0.0 or place)
            angular = sensor.angular if sensor is not None else want.what in script.ROOT_TURNS
            made.append(GoalTouchdownApproach(self._own if links is None else links, angular) if watched else None)
        return made

    def _read_want_value(self, k: int, state: State, turned: Array) -> float:
        sensor, want = self._sensors[k], self._goal.wants[k]
        what = want.what
        if sensor is not None and sensor.wraps:  # the equivalent angle nearest to the target
            return want.value + remainder(sensor.read(state) - want.value, tau)
        if sensor is not None:
            return sensor.read(state)
        if what in script.ROOT_TURNS:
            return float(turned[script.ROOT_TURNS.index(what)])
        if what in script.FLIGHT_TURNS:
            axis = script.FLIGHT_TURNS.index(what)
            return float(turned[axis] + predict_turns_of_goal(state, self._stand)[axis])
        return predict_flight_of_goal(state, self._stand)[script.FLIGHT_POSITIONS.index(what)]


def _constraint_sensor(scene: Scene, what: str) -> PoseControlSensor | None:
    if what in (*script.FLIGHT_POSITIONS, *script.FLIGHT_TURNS, *script.ROOT_TURNS):
        return None
    sensor = PoseControlSensor(what)
    sensor.reset(scene)
    return sensor


def _constraint_links(scene: Scene, link: str | None) -> Members | None:
    """(nbody,) mask of a link and its descendants; None without a link."""
    if link is None:
        return None
    return np.isin(np.arange(scene.model.nbody), descendant_links(scene.model, scene.link_id(link)))


class GoalEvents:
    """Detects take-off, apex and touch-downs in the steps of a rehearsal."""

    def __init__(self, own: Members, links: Sequence[Members | None]) -> None:
        """`own` are the character's links; `links` are, per constraint, the links that must touch down (None: any)."""
        self._own, self._links = own, [own if part is None else part & own for part in links]
        self._clear = 0  # successive steps in which no link of the character has contact
        self._rises = -inf  # m/s, upward velocity of the centre of mass
        self._off = [0] * len(links)  # per constraint: successive steps in which its links have no contact
        self._left = [False] * len(links)  # per constraint: whether its links have taken off
        self._times = {"time": 0.0}  # s, of each event
        self.touched_down: list[float | None] = [None] * len(links)  # s, per constraint

    def note_step(self, bearing: NDArray[np.int64], state: State) -> None:
        """Update with a simulated step in which the body ids `bearing` were in contact."""
        down = bool(self._own[bearing].any())
        self._clear = 0 if down else self._clear + 1
        if self._clear == CLEAR:
            self._times.setdefault("flight", state.time)
        rose, self._rises = self._rises, float(sensed_com_velocity(state)[2])
        if "flight" in self._times and rose > 0 >= self._rises:
            self._times.setdefault("apex", state.time)
        for k, links in enumerate(self._links):
            bears = bool(links[bearing].any())
            self._off[k] = 0 if bears else self._off[k] + 1
            if not bears:
                self._left[k] = self._left[k] or self._off[k] == CLEAR
            elif self._left[k] and self.touched_down[k] is None:
                self.touched_down[k] = state.time

    def is_due(self, k: int, want: script.Want, state: State) -> bool:
        """Whether the moment of constraint `k` has come."""
        when = want.when
        at = self.touched_down[k] if when.event == "down" else self._times.get(when.event)
        return at is not None and state.time > at + when.time - 0.5 * state.step


class GoalTouchdownApproach:
    """Extrapolates a value to the moment of a touch-down; at the end of the step it would jump from step to step."""

    def __init__(self, links: Members, angular: bool) -> None:
        self._links, self._angular = links, angular
        self._gaps = (inf, inf)  # m, in the last state and the one before
        self._values = (0.0, 0.0)

    def note_gap(self, state: State, value: float) -> None:
        """Store the value and the gap of the links in a state."""
        contacts = state.contacts
        between = self._links[contacts.body] != self._links[contacts.other]
        self._gaps = float(contacts.gap[between].min(initial=inf)), self._gaps[0]
        self._values = value, self._values[0]

    @property
    def value_at_touchdown(self) -> float:
        """The value at the moment of touch-down, extrapolated."""
        (gap, before), (value, last) = self._gaps, self._values
        share = min(max(gap / (before - gap), 0.0), 1.0) if isfinite(before) and before > gap else 0.0
        way = remainder(value - last, tau) if self._angular else value - last
        return value + share * way


def goal_constraint_unit(what: str) -> str:
    """Display unit of a constrained quantity: degrees in place of radians."""
    if what in script.FLIGHT_POSITIONS:
        return "m"
    return "deg" if what in (*script.ROOT_TURNS, *script.FLIGHT_TURNS) else PoseControlSensor(what).unit


def goal_constraint_in_display_unit(what: str, value: float) -> float:
    """A value of the quantity `what`, converted from SI to its display unit."""
    return degrees(value) if goal_constraint_unit(what).startswith("deg") else value


def goal_constraint_value_text(what: str, value: float) -> str:
    """A value (SI) of the quantity `what` as text with its display unit."""
    return f"{goal_constraint_in_display_unit(what, value):.4g} {goal_constraint_unit(what)}"


def predict_flight_of_goal(state: State, stand: float) -> tuple[float, float, float]:
    """Apex (m) of the centre of mass, and x and y (m) where it comes down to the standing height `stand` (m)."""
    rotation = whole_body_rotation(state.mass, state.qvel, state.data)
    apex, time = _goal_apex_and_flight_time(state, rotation, stand)
    x, y, _ = rotation.com + time * rotation.velocity
    return apex, float(x), float(y)


def predict_turns_of_goal(state: State, stand: float) -> Array:
    """(3,) rad: turn of the root about its own axes until the body, taken as rigid, has come down to `stand` (m)."""
    rotation = whole_body_rotation(state.mass, state.qvel, state.data)
    _, time = _goal_apex_and_flight_time(state, rotation, stand)
    root = np.array(state.data.xmat[1]).reshape(3, 3)
    momentum, inertia = root.T @ rotation.angular_momentum, root.T @ rotation.inertia @ root
    steps = max(ceil(time / FINEST), 1)
    turned = np.zeros(3)
    for _ in range(steps):
        rate = np.linalg.solve(inertia, momentum)
        halfway = _goal_momentum_after_turn(momentum, rate * (0.5 * time / steps))
        rate = np.linalg.solve(inertia, halfway)
        turned += rate * (time / steps)
        momentum = _goal_momentum_after_turn(momentum, rate * (time / steps))
    return turned


def _goal_momentum_after_turn(vector: Array, by: Array) -> Array:
    """(3,) a momentum that is constant in the world, in the frame of the body after its rotation `by` (3,) rad."""
    return np.asarray(quat_to_matrix(quat_exp(by)).T @ vector)


def _goal_apex_and_flight_time(state: State, rotation: RotationIndices, stand: float) -> tuple[float, float]:
    """Height (m) of the flight's apex, and time (s) until the centre of mass has come down to a height `stand` (m).

    If the body already falls, the returned height is as far below the centre of mass as the past apex was above it.
    """
    gravity, up = -float(state.data.model.opt.gravity[2]), float(rotation.velocity[2])
    apex = float(rotation.com[2]) + up * abs(up) / (2 * gravity)
    return apex, up / gravity + float(np.sqrt(2 * max(apex - stand, 0.0) / gravity))
