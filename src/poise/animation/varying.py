"""Random variations of a script: what a user may change and still have it work.

- Masses: of each link by up to 10 %, inertias alike, left and right alike; half of it is common to all links, so
  that the body as a whole becomes heavier or lighter too. Torque limits stay as they were.
- Times: each wait from a pose to the next by up to 5 %. Gains, stabilising torques, objectives, holds and the times
  of constraints move with the poses around them; pushes come when they come.
- Targets: each constraint's `is` by up to its `range`, as the script has it: how far the target may be moved and the
  script still solves. Without a range it stays.

Changes that were found for a script are forgotten: a variation is to be solved from the animator's own poses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from poise.animation.script import Goal, Pose, Script, Want
from poise.body import Body
from poise.body.assemble import build
from poise.body.plan import Segment, other_side
from poise.control.poses.schedule import Span
from poise.errors import PoiseError

MASS, TIME = 0.1, 0.05
"""Parts by which masses and waits change, at most."""

Warp = Callable[[float], float]
"""The time (s) to which a time moves."""


def varied(script: Script, seed: int) -> Script:
    """A script with random changes of masses, times and targets; a seed always gives the same."""
    masses, times, targets = (np.random.default_rng([seed, k]) for k in range(3))
    warp = _warp(script.poses, times)
    bodies = (_reweighed(script.scene.body, masses), *script.scene.bodies[1:])
    return replace(
        script,
        scene=replace(script.scene, bodies=bodies),
        seconds=warp(script.seconds),
        poses=tuple(replace(pose, time=warp(pose.time)) for pose in script.poses),
        changes=tuple(_moved(change, warp) for change in script.changes),
        stabilised=tuple(_span(span, warp) for span in script.stabilised),
        objectives=tuple(_moved(objective, warp) for objective in script.objectives),
        holds=tuple(_moved(hold, warp) for hold in script.holds),
        goals=tuple(_retargeted(goal, warp, targets) for goal in script.goals),
    )


def _reweighed(body: Body, rng: np.random.Generator) -> Body:
    """The body with links of other masses, as strong as before."""
    if body.plan is None:
        raise PoiseError(f"body '{body.name}' comes from MJCF or carries a load: its masses cannot be varied")
    common = rng.uniform(-MASS, MASS)
    own: dict[str, float] = {}

    def heavier(segment: Segment) -> Segment:
        side = other_side(segment.name)  # the right one's, for both sides
        if side not in own:
            own[side] = 1.0 + 0.5 * (common + rng.uniform(-MASS, MASS))
        x, y, z = (own[side] * moment for moment in segment.inertia)
        return replace(segment, mass=own[side] * segment.mass, inertia=(x, y, z))

    made = build(replace(body.plan, segments=tuple(heavier(segment) for segment in body.plan.segments)))
    return replace(made, torque_limit=body.torque_limit, rigging=body.rigging)


def _warp(poses: Sequence[Pose], rng: np.random.Generator) -> Warp:
    """Times stretched between poses; after the last one, time goes on as it did."""
    before = np.unique([0.0, *(pose.time for pose in poses)])
    waits = np.diff(before) * rng.uniform(1.0 - TIME, 1.0 + TIME, len(before) - 1)
    after = np.concatenate([[0.0], np.cumsum(waits)])

    def warp(time: float) -> float:
        return float(np.interp(time, before, after) + max(time - before[-1], 0.0))

    return warp


def _moved(timed: Any, warp: Warp) -> Any:
    """Something that goes on for a while, at another time."""
    return replace(timed, when=_span(timed.when, warp))


def _span(span: Span, warp: Warp) -> Span:
    return Span(warp(span.start), warp(span.end))


def _retargeted(goal: Goal, warp: Warp, rng: np.random.Generator) -> Goal:
    wants = tuple(_aimed(want, warp, rng) for want in goal.wants)
    return replace(goal, wants=wants, solved=(0.0,) * len(goal.free))


def _aimed(want: Want, warp: Warp, rng: np.random.Generator) -> Want:
    when = want.when
    if when.event == "time":
        when = replace(when, time=warp(when.time))
    return replace(want, when=when, value=want.value + rng.uniform(-want.range, want.range))
