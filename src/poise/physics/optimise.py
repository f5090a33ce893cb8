"""Make a sketch obey physics: set up the optimisation task, solve the task, and convert the result to a motion."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from poise.arrays import Array, Mask, readonly, true_runs
from poise.body.link_kinematics import LinkKinematics
from poise.body.pose_space import PoseSpace, displace_poses, planar_displacement, yaw_quat
from poise.body.surface import contact_spheres_of_body
from poise.errors import PoiseError
from poise.physics.interior import InteriorSettings, InteriorSolution, OptimiserProgress, ignore_progress, minimise
from poise.physics.spacetime import Spacetime
from poise.physics.task import (
    APART,
    Closure,
    EndState,
    PosePath,
    SpacetimeTask,
    SpacetimeWeights,
    TaskSpheres,
    Trajectory,
)
from poise.reference.body_clip import BodyClip
from poise.reference.dynamic import ContactSchedule, Dynamic
from poise.reference.supports import Sketch, Support, spheres_of_reference_part
from poise.rotations import continuous_quat, quat_rotate

_NEAR = 0.1  # m: parts that always stay higher than this need no ground constraint
_FAR = 0.25  # m: greatest distance of the root from the root of the desired motion


@dataclass(frozen=True)
class DynamicSettings:
    """Parameters for making a motion obey physics."""

    rate: float = 120.0  # steps per second of the world
    friction: float = 0.7  # coefficient, less than the ground's, to leave controllers a margin
    clearance: float = 0.02  # m: least height of swing feet at mid-swing, unless the desired motion is lower
    lift: float | None = None  # m: least height of swing feet at mid-swing, even if the desired motion is lower
    apart: float | None = APART  # m between links of the body that could overlap; None to let them overlap
    arms_apart: float = APART  # m, the same between arms and all else
    weights: SpacetimeWeights = field(default_factory=SpacetimeWeights)
    search: InteriorSettings = field(default_factory=InteriorSettings)


@dataclass(frozen=True, eq=False)
class OptimisedMotion:
    """A motion that obeys physics, the desired motion, and the iterations and final cost of the search."""

    dynamic: Dynamic
    desired: BodyClip  # the desired motion at the same frames
    iterations: int
    cost: float


def optimise(
    sketch: Sketch,
    settings: DynamicSettings | None = None,
    *,
    start: EndState | None = None,
    end: EndState | None = None,
    rest: tuple[bool, bool] = (False, False),
    watch: Callable[[OptimiserProgress], None] = ignore_progress,
) -> OptimisedMotion:
    """The motion nearest to a sketch that joint torques, contacts and gravity can produce.

    A cyclic clip is closed exactly. `start` and `end` are states of other motions in which the motion starts or ends.
    `rest` tells whether the motion starts, and whether it ends, at rest in any pose.
    """
    chosen = settings or DynamicSettings()
    desired = resampled_sketch(sketch, chosen.rate)
    check_flights(desired, _FAR)
    task = replace(spacetime_task(desired, chosen), start=start, end=end, rest=rest)
    if start is not None and end is not None:
        task = replace(task, closure=None)  # two states of a cycle close it by themselves
    problem = Spacetime(task)
    solution = minimise(problem, problem.start(), chosen.search, watch)
    if not solution.converged:
        raise PoiseError(f"motion '{sketch.clip.name}' cannot obey physics: {problem.conflict(solution.linearised)}")
    found = _dynamic_motion(problem, solution, desired)
    _check_near_desired(found, desired.clip)
    return OptimisedMotion(found, desired.clip, solution.iterations, solution.cost)


def check_flights(sketch: Sketch, far: float) -> None:
    """Raise a PoiseError if a phase without support differs by more than `far` (m) from every possible free flight.

    In free flight of duration T the centre of mass at T / 2 is g T^2 / 8 above the mean of both ends. If the desired
    height differs from this height by b, every flight is somewhere at least b / 2 away from the desired motion.
    """
    clip, body = sketch.clip, sketch.clip.body
    borne = np.zeros(clip.frames, bool)
    for support in sketch.supports:
        borne |= support.down
    fall = float(np.linalg.norm(body.model.opt.gravity))
    for start, stop in true_runs(~borne):
        half = (stop - 1 - start) // 2
        first, middle, last = clip.centre_of_mass[[start, start + half, start + 2 * half], 2]
        bend = middle - 0.5 * (first + last)
        if abs(fall * (half / clip.rate) ** 2 / 2 - bend) > 2 * far:
            raise PoiseError(
                f"motion '{clip.name}' cannot obey physics: it has no support from {start / clip.rate:.2f} to "
                f"{(stop - 1) / clip.rate:.2f} s, but does not move as in free flight"
            )


def _check_near_desired(found: Dynamic, desired: BodyClip) -> None:
    """Raise a PoiseError if the motion is far from the desired motion, as after a jump where support is missing."""
    away = np.linalg.norm(found.clip.qpos[:, :3] - desired.qpos[:, :3], axis=1)
    worst = int(np.argmax(away))
    if away[worst] > _FAR:
        unsupported = "" if found.contacts.down[worst].any() else " and it has no support"
        raise PoiseError(
            f"motion '{desired.name}' cannot obey physics near the desired motion: at {worst * found.step:.2f} s "
            f"the root is {100 * away[worst]:.0f} cm off{unsupported}"
        )


def end_state_of(dynamic: Dynamic, frame: int) -> EndState:
    """The state of a motion at a frame, in which other motions can start or end."""
    qpos, qvel = dynamic.clip.qpos[frame], dynamic.qvel[frame]
    before = PoseSpace(dynamic.clip.body).moved(qpos[None], -dynamic.step * qvel[None])[0]
    return EndState(qpos, readonly(before), qvel[:6])


def resampled_sketch(sketch: Sketch, rate: float) -> Sketch:
    """The sketch at another rate (frames per second), with only the supports that are ever in contact."""
    clip = sketch.clip
    if round(clip.seconds * rate) < 1:
        raise PoiseError(f"motion '{clip.name}' is too short: {clip.frames} frames in {clip.seconds:g} s make no step")
    supports = sketch.supports
    if clip.rate != rate:
        times = np.arange(round(clip.seconds * rate) + 1) / rate
        times *= clip.seconds / times[-1]  # whole steps: the speed may change by half a step over the clip
        nearest = np.minimum(np.round(times * clip.rate).astype(int), clip.frames - 1)
        down = None if clip.down is None else readonly(clip.down[nearest], bool)
        qpos = readonly(PoseSpace(clip.body).smooth(clip.qpos, times * clip.rate))
        clip = replace(clip, rate=rate, qpos=qpos, down=down)
        grounds = [None if support.ground is None else readonly(support.ground[nearest]) for support in supports]
        supports = tuple(replace(support, down=readonly(support.down[nearest], bool), ground=ground)
                         for support, ground in zip(supports, grounds, strict=True))  # fmt: skip
    return Sketch(clip, tuple(support for support in supports if support.down.any()))


def spacetime_task(sketch: Sketch, settings: DynamicSettings) -> SpacetimeTask:
    """The optimisation task for a sketch that has one frame per step of the world."""
    clip = sketch.clip
    closure = cycle_closure(sketch) if clip.cyclic else None
    return SpacetimeTask(
        clip.body,
        1.0 / clip.rate,
        np.concatenate([_optimised_pose_before_start(clip, closure)[None], clip.qpos]),
        _task_spheres(sketch, settings),
        friction=settings.friction,
        apart=settings.apart,
        arms_apart=settings.arms_apart,
        weights=settings.weights,
        closure=closure,
    )


def cycle_closure(sketch: Sketch) -> Closure:
    """Displacement from the cycle's first pose to its last; zero if some support is always in contact."""
    if any(support.down.all() for support in sketch.supports):
        return Closure(0.0, readonly(np.zeros(2)))
    turn, way = planar_displacement(sketch.clip.qpos[0], sketch.clip.qpos[-1])
    return Closure(turn, readonly(way[:2]))


def _optimised_pose_before_start(clip: BodyClip, closure: Closure | None) -> Array:
    """(nq,) pose one step before the clip's first frame: from the cycle's end if cyclic, else extrapolated."""
    if closure is None:
        path = PosePath(clip.body)
        back, _, _ = path.difference(clip.qpos[[1]], clip.qpos[[0]])
        return np.asarray(path.moved(clip.qpos[[0]], back)[0])
    turn = yaw_quat(-closure.turn)
    return displace_poses(clip.qpos[-2], turn, -quat_rotate(turn, np.append(closure.way, 0.0)))


def _task_spheres(sketch: Sketch, settings: DynamicSettings) -> TaskSpheres:
    """Spheres of all supports, then spheres of other parts that come near the ground and must not penetrate it."""
    clip, body = sketch.clip, sketch.clip.body
    supports = (*sketch.supports, *_idle_spheres(sketch))
    shape = len(supports), clip.frames
    centre = np.array([s.centre for s in supports]).reshape(-1, 3)
    radius = np.array([s.radius for s in supports])
    ground = np.array([np.zeros(clip.frames) if s.ground is None else s.ground for s in supports]).reshape(shape).T
    down = np.array([s.down for s in supports], bool).reshape(shape).T
    places, _ = LinkKinematics(body, [(s.link, s.centre) for s in supports]).at(clip.qpos)
    least = _least_heights(places[..., 2] - radius - ground, down, clip.cyclic, settings)
    before = -2 if clip.cyclic else 0
    down, ground, least = (np.concatenate([table[[before]], table]) for table in (down, ground, least))
    unheld = np.full(3, np.nan)
    return TaskSpheres(
        tuple(s.name for s in supports),
        np.array([body.link_id(s.link) for s in supports], np.int64),
        centre,
        radius,
        down,
        ground,
        least,
        np.array([unheld if s.place is None else s.place for s in supports]).reshape(-1, 3),
    )


def _idle_spheres(sketch: Sketch) -> list[Support]:
    """Spheres and contact points of the body that are no supports but come near the ground; never in contact."""
    clip, body = sketch.clip, sketch.clip.body
    balls = contact_spheres_of_body(body)
    found = [(ball.name, ball.link, ball.centre, ball.radius) for ball in balls]
    for part in clip.parts:
        found += [
            (part.name, part.link, centre, r) for centre, r in spheres_of_reference_part(body, part, balls) if not r
        ]
    places, _ = LinkKinematics(body, [(link, centre) for _, link, centre, _ in found]).at(clip.qpos)
    never = readonly(np.zeros(clip.frames), bool)
    ground = np.minimum.reduce([np.zeros(clip.frames), *(s.ground for s in sketch.supports if s.ground is not None)])
    known = [(s.link, s.centre) for s in sketch.supports]
    out = []
    for k, (name, link, centre, radius) in enumerate(found):
        supporting = any(link == other and np.allclose(centre, place) for other, place in known)
        if not supporting and (places[:, k, 2] - radius - ground).min() < _NEAR:
            out.append(Support(name, link, centre, never, radius, ground=readonly(ground)))
            known.append((link, centre))
    return out


def _least_heights(height: Array, down: Mask, cyclic: bool, settings: DynamicSettings) -> Array:
    """(T, C) m: least heights of C spheres. In swing they rise to the clearance, or to 0.7 `height` (T, C) if lower."""
    arch = np.zeros(down.shape)
    for c, column in enumerate(down.T):
        arch[:, c] = _swing_arch(column, cyclic)
    usual = np.clip(0.7 * height, 0.0, settings.clearance * arch)
    return usual if settings.lift is None else np.maximum(usual, settings.lift * arch)


def _swing_arch(down: Mask, cyclic: bool) -> Array:
    """(T,) 0 in contact (`down`); rises to 1 and falls back over each swing, also across the end of a cycle."""
    frames = len(down)
    around = np.tile(down[:-1], 3) if cyclic else down  # the last frame of a cycle is the first
    out = np.zeros(len(around))
    for start, stop in true_runs(~around):
        if start > 0 and stop < len(around):
            out[start:stop] = np.sin(np.pi * np.arange(1, stop - start + 1) / (stop - start + 1)) ** 2
    return out[frames - 1 : 2 * frames - 1] if cyclic else out


def _dynamic_motion(problem: Spacetime, solution: InteriorSolution[Trajectory], desired: Sketch) -> Dynamic:
    terms, x, task = problem.terms.at(solution.point), solution.point, problem.terms.task
    torque = np.array(terms.torque[:-1])
    torque[:, :6] = 0.0
    supports, count = desired.supports, len(desired.supports)
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
    qpos = np.array(x.qpos[1:])
    qpos[:, 3:7] = continuous_quat(qpos[:, 3:7])  # the quaternion of a given end may have the other sign
    clip = replace(desired.clip, qpos=readonly(qpos))
    return Dynamic(clip, readonly(terms.qvel), readonly(torque), contacts, task.friction)
