"""From a sketch to a motion that obeys physics: the task that is optimised, and what comes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, readonly, runs
from poise.body.carriage import advance, carried, heading
from poise.body.link_kinematics import Kinematics
from poise.body.pose_space import PoseSpace
from poise.body.surface import balls_of
from poise.errors import PoiseError
from poise.physics.interior import InteriorSettings, InteriorSolution, Progress, minimise, unwatched
from poise.physics.motion_terms import PosePath
from poise.physics.spacetime import Spacetime
from poise.physics.task import Balls, Closure, EndState, SpacetimeTask, SpacetimeWeights, Trajectory
from poise.reference.body_clip import BodyClip
from poise.reference.dynamic import ContactSchedule, Dynamic
from poise.reference.supports import Sketch, Support, rounded
from poise.rotations import quat_rotate

# Flights of a motion as it is wished for: is it in the air wherever nothing bears it?


def check_flights(sketch: Sketch, far: float) -> None:
    """Refuse a motion that nothing bears for longer than it could fly without coming `far` (m) from where it is.

    Free fall bends the path of the centre of mass: half way it is g T^2 / 8 above the middle of both ends. If the
    wished one is less or more by b, any flight is b / 2 away from it somewhere.
    """
    clip, body = sketch.clip, sketch.clip.body
    borne = np.zeros(clip.frames, bool)
    for support in sketch.supports:
        borne |= support.down
    fall = float(np.linalg.norm(body.model.opt.gravity))
    for start, stop in runs(~borne):
        half = (stop - 1 - start) // 2
        first, middle, last = _heights(sketch, np.array([start, start + half, start + 2 * half], np.int64))
        bend = middle - 0.5 * (first + last)
        if abs(fall * (half / clip.rate) ** 2 / 2 - bend) > 2 * far:
            raise PoiseError(
                f"motion '{clip.name}' finds no way to obey physics: nothing bears it from {start / clip.rate:.2f} to "
                f"{(stop - 1) / clip.rate:.2f} s, where it does not fly"
            )


def _heights(sketch: Sketch, frames: NDArray[np.int64]) -> list[float]:
    """m: of the centre of mass."""
    model = sketch.clip.body.model
    data, out = mujoco.MjData(model), []
    for pose in sketch.clip.qpos[frames]:
        data.qpos[:] = pose
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        out.append(float(data.subtree_com[1, 2]))
    return out


_NEAR = 0.1  # m: what always stays higher will not sink into the ground
_FAR = 0.25  # m: further from where it was wished, it is another motion


@dataclass(frozen=True)
class DynamicSettings:
    """How a motion is made to obey physics."""

    rate: float = 120.0  # steps per second, as the world makes them
    friction: float = 0.7  # less than the ground's, so that a controller has something to spare
    clearance: float = 0.02  # m: least height of swinging feet half way, where the wished motion is not lower itself
    lift: float | None = None  # m: the same, however low the wished motion is
    weights: SpacetimeWeights = field(default_factory=SpacetimeWeights)
    search: InteriorSettings = field(default_factory=InteriorSettings)


@dataclass(frozen=True, eq=False)
class Optimised:
    """A motion that obeys physics, and how it was found."""

    dynamic: Dynamic
    wished: BodyClip  # what it was to be like, frame by frame
    iterations: int
    cost: float


def optimise(
    sketch: Sketch,
    settings: DynamicSettings | None = None,
    *,
    start: EndState | None = None,
    end: EndState | None = None,
    rest: tuple[bool, bool] = (False, False),
    watch: Callable[[Progress], None] = unwatched,
) -> Optimised:
    """The motion nearest to a sketch that joint torques, contacts and gravity can bring about.

    A cyclic clip closes exactly, cycle after cycle. `start` and `end` are states of other motions that it joins; with
    `rest` it starts or ends at rest, in a pose of its own choice.
    """
    chosen = settings or DynamicSettings()
    wished = resampled_sketch(sketch, chosen.rate)
    check_flights(wished, _FAR)
    task = replace(task_of(wished, chosen), start=start, end=end, rest=rest)
    if start is not None and end is not None:
        task = replace(task, closure=None)  # a cycle by itself, if the two states are those of one
    problem = Spacetime(task)
    solution = minimise(problem, problem.start(), chosen.search, watch)
    if not solution.converged:
        raise PoiseError(
            f"motion '{sketch.clip.name}' finds no way to obey physics: {problem.conflict(solution.linearised)}"
        )
    found = _result(problem, task, solution, wished, chosen)
    _check_near(found, wished.clip)
    return Optimised(found, wished.clip, solution.iterations, solution.cost)


def _check_near(found: Dynamic, wished: BodyClip) -> None:
    """Whoever stands on nothing may jump instead, which obeys physics but is not what was wished."""
    away = np.linalg.norm(found.clip.qpos[:, :3] - wished.qpos[:, :3], axis=1)
    worst = int(np.argmax(away))
    if away[worst] > _FAR:
        borne = "" if found.contacts.down[worst].any() else " and nothing bears it"
        raise PoiseError(
            f"motion '{wished.name}' finds no way to obey physics near the wished one: at {worst * found.step:.2f} s "
            f"the root is {100 * away[worst]:.0f} cm off{borne}"
        )


def state_of(dynamic: Dynamic, frame: int) -> EndState:
    """A state of a motion, for others to start from or to end in."""
    qpos, qvel = dynamic.clip.qpos[frame], dynamic.qvel[frame]
    before = PoseSpace(dynamic.clip.body).moved(qpos[None], -dynamic.step * qvel[None])[0]
    return EndState(qpos, readonly(before), qvel[:6])


def standing_still(qpos: Array) -> EndState:
    """Standing still in a pose."""
    return EndState(qpos, qpos, np.zeros(6))


def resampled_sketch(sketch: Sketch, rate: float) -> Sketch:
    """The sketch with another number of frames per second, and only the supports that bear."""
    clip = sketch.clip
    if round(clip.seconds * rate) < 1:
        raise PoiseError(
            f"motion '{clip.name}' has {clip.frames} frames in {clip.seconds:g} s: there is no step to make"
        )
    if clip.rate == rate:
        return _bearing(sketch)
    times = np.arange(round(clip.seconds * rate) + 1) / rate
    times *= clip.seconds / times[-1]  # whole steps: a clip may become slower or faster by half a step
    nearest = np.minimum(np.round(times * clip.rate).astype(int), clip.frames - 1)
    down = None if clip.down is None else readonly(clip.down[nearest], bool)
    qpos = readonly(PoseSpace(clip.body).smooth(clip.qpos, times * clip.rate))
    other = replace(clip, rate=rate, qpos=qpos, down=down)
    return _bearing(Sketch(other, tuple(_sampled_support(support, nearest) for support in sketch.supports)))


def _bearing(sketch: Sketch) -> Sketch:
    """The sketch without supports that are never down, or no more in its frames."""
    return replace(sketch, supports=tuple(support for support in sketch.supports if support.down.any()))


def _sampled_support(support: Support, frames: NDArray[np.int64]) -> Support:
    ground = None if support.ground is None else readonly(support.ground[frames])
    return replace(support, down=readonly(support.down[frames], bool), ground=ground)


def task_of(sketch: Sketch, settings: DynamicSettings) -> SpacetimeTask:
    """The task of a sketch whose frames are the world's steps."""
    clip = sketch.clip
    closure = closure_of(sketch) if clip.cyclic else None
    return SpacetimeTask(
        clip.body,
        1.0 / clip.rate,
        np.concatenate([_pose_before(clip, closure)[None], clip.qpos]),
        _balls(sketch, settings),
        friction=settings.friction,
        weights=settings.weights,
        closure=closure,
    )


def closure_of(sketch: Sketch) -> Closure:
    """How one cycle carries the next: nowhere, if something stays down all the time."""
    if any(support.down.all() for support in sketch.supports):
        return Closure(0.0, readonly(np.zeros(2)))
    turn, way = advance(sketch.clip.qpos[0], sketch.clip.qpos[-1])
    return Closure(turn, readonly(way[:2]))


def _pose_before(clip: BodyClip, closure: Closure | None) -> Array:
    """(nq,) the pose one step before the first."""
    if closure is None:
        path = PosePath(clip.body)
        back, _, _ = path.difference(clip.qpos[[1]], clip.qpos[[0]])
        return np.asarray(path.moved(clip.qpos[[0]], back)[0])
    turn = heading(-closure.turn)
    return carried(clip.qpos[-2], turn, -quat_rotate(turn, np.append(closure.way, 0.0)))


def _balls(sketch: Sketch, settings: DynamicSettings) -> Balls:
    """All that bears, and all else that comes near the ground and must not sink into it."""
    clip, body = sketch.clip, sketch.clip.body
    supports = (*sketch.supports, *_others(sketch))
    shape = len(supports), clip.frames
    centre = np.array([s.centre for s in supports]).reshape(-1, 3)
    radius = np.array([s.radius for s in supports])
    ground = np.array([np.zeros(clip.frames) if s.ground is None else s.ground for s in supports]).reshape(shape).T
    down = np.array([s.down for s in supports], bool).reshape(shape).T
    places, _ = Kinematics(body, [(s.link, s.centre) for s in supports]).at(clip.qpos)
    least = _least(places[..., 2] - radius - ground, down, clip.cyclic, settings)
    before = -2 if clip.cyclic else 0
    down, ground, least = (np.concatenate([table[[before]], table]) for table in (down, ground, least))
    unheld = np.full(3, np.nan)
    return Balls(
        tuple(s.name for s in supports),
        np.array([body.link_id(s.link) for s in supports], np.int64),
        centre,
        radius,
        down,
        ground,
        least,
        np.array([unheld if s.place is None else s.place for s in supports]).reshape(-1, 3),
    )


def _others(sketch: Sketch) -> list[Support]:
    """Balls and contact points of the body that bear nothing but come near the ground."""
    clip, body = sketch.clip, sketch.clip.body
    balls = balls_of(body)
    found = [(ball.name, ball.link, ball.centre, ball.radius) for ball in balls]
    for part in clip.parts:
        found += [(part.name, part.link, centre, r) for centre, r in rounded(body, part, balls) if not r]
    places, _ = Kinematics(body, [(link, centre) for _, link, centre, _ in found]).at(clip.qpos)
    never = readonly(np.zeros(clip.frames), bool)
    ground = np.minimum.reduce([np.zeros(clip.frames), *(s.ground for s in sketch.supports if s.ground is not None)])
    known = [(s.link, s.centre) for s in sketch.supports]
    out = []
    for k, (name, link, centre, radius) in enumerate(found):
        told = any(link == other and np.allclose(centre, place) for other, place in known)
        if not told and (places[:, k, 2] - radius - ground).min() < _NEAR:
            out.append(Support(name, link, centre, never, radius, ground=readonly(ground)))
            known.append((link, centre))
    return out


def _least(height: Array, down: NDArray[np.bool_], cyclic: bool, settings: DynamicSettings) -> Array:
    """(T, C) m: heights that balls must keep; while they swing the clearance half way, or most of what they had."""
    arch = np.zeros(down.shape)
    for c, column in enumerate(down.T):
        arch[:, c] = _arch(column, cyclic)
    usual = np.clip(0.7 * height, 0.0, settings.clearance * arch)
    return usual if settings.lift is None else np.maximum(usual, settings.lift * arch)


def _arch(down: NDArray[np.bool_], cyclic: bool) -> Array:
    """(T,) from 0 to 1 and back while something swings from one support to the next; 0 else.

    In a cycle, what swings over its end is in one swing.
    """
    frames = len(down)
    around = np.tile(down[:-1], 3) if cyclic else down  # the last frame of a cycle is the first
    out = np.zeros(len(around))
    for start, stop in runs(~around):
        if start > 0 and stop < len(around):
            out[start:stop] = np.sin(np.pi * np.arange(1, stop - start + 1) / (stop - start + 1)) ** 2
    return out[frames - 1 : 2 * frames - 1] if cyclic else out


def _result(
    problem: Spacetime,
    task: SpacetimeTask,
    solution: InteriorSolution[Trajectory],
    wished: Sketch,
    settings: DynamicSettings,
) -> Dynamic:
    terms, x, count = problem.terms.at(solution.point), solution.point, len(wished.supports)
    torque = np.array(terms.torque[:-1])
    torque[:, :6] = 0.0
    supports = wished.supports
    contacts = ContactSchedule(
        tuple(s.name for s in supports),
        tuple(s.link for s in supports),
        readonly(task.balls.centre[:count]),
        readonly(task.balls.radius[:count]),
        readonly([s.place is not None for s in supports], bool),
        readonly(task.balls.down[1:, :count], bool),
        readonly(problem.terms.weight * x.force[1:-1, :count]),
        readonly(task.balls.ground[1:, :count]),
    )
    clip = replace(wished.clip, qpos=readonly(x.qpos[1:]))
    return Dynamic(clip, readonly(terms.qvel), readonly(torque), contacts, settings.friction)
