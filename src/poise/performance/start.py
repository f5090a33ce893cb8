"""The start of a performance: set the world to the start of a reference, and move the reference to its place."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.body.pose_space import PoseDisplacement
from poise.body.self_contact import SelfDistances
from poise.body.surface import lowest_geom_height
from poise.edit.foot_placement import EditedFootPlacement
from poise.edit.limbs import has_legs, leg_lengths, pelvis_drop, sole_points
from poise.edit.take import DerivedReference, Frame
from poise.edit.uneven_ground import ground_under_sole
from poise.errors import PoiseError
from poise.library.authoring.figure import SourceFigure, both_sides_of_source_angle
from poise.reference.reference import Reference, Target, edition_of
from poise.rotations import quat_multiply, quat_normalize, quat_rotate
from poise.world.terrain import Place
from poise.world.world import World

DEEP = 0.01  # Penetration (m) at the start above which the legs are fitted to the ground instead of raising the body

Heights = Callable[[Array, Array], Array]  # Height of the ground (N,) m at x and y (N,) m


def place_at_start(world: World, reference: Reference, seed: int, noise: float, stand: Place | None = None) -> Place:
    """Set the world to the start of the reference, on the ground; `noise` (rad/s) perturbs joints. Return the place."""
    scene = world.scene
    place = scene.terrain.summit() if reference.start == "summit" else stand or Place()
    if reference.start != "summit":
        place = replace(place, z=scene.terrain.height(place.x, place.y))
    first = thrown_start(scene.body, seed) if reference.start == "thrown" else reference.at(0.0)
    qpos, qvel = np.array(world.model.qpos0), np.zeros(world.model.nv)
    for index in range(1, len(scene.bodies)):
        qpos[scene.coordinates(index)] = displacement_to_start(scene.place(index)).pose(scene.bodies[index].standing)
    qpos[scene.coordinates(0)] = displacement_to_start(place).pose(first.qpos)
    velocity = displacement_to_start(place).velocity(first.qvel)
    velocity[6:] += noise * np.random.default_rng(seed).standard_normal(len(velocity) - 6)
    qvel[scene.dofs(0)] = velocity
    world.reset(qpos, qvel)
    own = qpos[scene.coordinates(0)]  # a view
    if reference.start != "thrown" and _ground_penetration(world) > DEEP and has_legs(scene.body):
        pose = fit_start_to_ground(scene.body, own, scene.terrain.heights, place.z)
        place = replace(place, z=place.z + float(pose[2] - own[2]))
        own[:] = pose
        world.reset(qpos, qvel)
    rise = _ground_penetration(world)
    if rise > 0:
        place = replace(place, z=place.z + rise)
        own[2] += rise
        world.reset(qpos, qvel)
    return place


THROWN = {
    "hip_flexion": (-10.0, 90.0),
    "hip_abduction": (0.0, 35.0),
    "knee_flexion": (0.0, 110.0),
    "shoulder_flexion": (-40.0, 150.0),
    "shoulder_abduction": (0.0, 70.0),
    "elbow_flexion": (0.0, 110.0),
    "trunk_flexion": (-15.0, 40.0),
    "trunk_rotation": (-30.0, 30.0),
    "neck_flexion": (-20.0, 30.0),
}
"""Ranges (degrees) of the angles of a thrown body, drawn for each side."""
THROWN_HEIGHT, THROWN_SPEED, THROWN_SPIN = 1.0, 2.0, 4.0
"""Largest height (m) of a thrown body's lowest point, speed along each axis (m/s), and spin about each axis (rad/s)."""
MOST_THROWS = 1000  # Poses that are drawn at most until one is found in which no links overlap


def thrown_start(body: Body, seed: int) -> Target:
    """The state of a body that is thrown or dropped: pose, height, velocity and spin are drawn from `seed`."""
    rng, figure, distances = np.random.default_rng(seed), SourceFigure(body), SelfDistances(body, 0.0)
    names = [full for name in THROWN for full in both_sides_of_source_angle(name)]
    for _ in range(MOST_THROWS):
        ranges = [THROWN[name.removeprefix("left_").removeprefix("right_")] for name in names]
        pose = figure.poses(dict(zip(names, rng.uniform(*np.transpose(ranges)), strict=True)))[0]
        if not np.any(distances.at(pose[None], moves=False).distance < 0.0):
            break
    else:
        raise PoiseError(f"{body.name}: its links overlap in all of {MOST_THROWS} drawn poses, so it cannot be thrown")
    pose[3:7] = quat_normalize(rng.standard_normal(4))
    pose[2] += rng.uniform(0.0, THROWN_HEIGHT) - lowest_geom_height(body.model, pose)
    velocity = np.zeros(body.nv)
    velocity[:2] = rng.uniform(-THROWN_SPEED, THROWN_SPEED, 2)
    velocity[3:6] = rng.uniform(-THROWN_SPIN, THROWN_SPIN, 3)
    return Target(pose, velocity)


def _ground_penetration(world: World) -> float:
    """Distance (m) by which the body must rise until none of its points penetrates the ground."""
    contacts = world.contacts
    own = (world.scene.model.body_rootid[contacts.body] == 1) & (contacts.other == 0)
    return float(np.max(-contacts.gap[own] / np.maximum(contacts.frame[own, 0, 2], 0.1), initial=0.0))


def displacement_to_start(place: Place) -> PoseDisplacement:
    """The transform that moves a motion from the origin to a place."""
    return PoseDisplacement(place.yaw, np.array([place.x, place.y, place.z]))


class PlacedReference(DerivedReference):
    """A reference moved to the place where the character starts, as controllers track it."""

    def __init__(self, reference: Reference, place: Place) -> None:
        self._now, self._carriage = reference, displacement_to_start(place)
        self._last: tuple[Target, Target] | None = None

    @property
    def edition(self) -> int:
        """Number of edits of the reference so far."""
        return edition_of(self._now)

    def at(self, time: float) -> Target:
        """The target at a time (s), in the world frame."""
        target = self._now.at(time)
        if self._last is None or self._last[0].qpos is not target.qpos or self._last[0].qvel is not target.qvel:
            self._last = target, self._move_target(target)  # a held pose is moved only once
        return self._last[1]

    def _move_target(self, target: Target) -> Target:
        carriage, last = self._carriage, self._last
        velocity = carriage.velocity(target.qvel) if last is None or last[0].qvel is not target.qvel else last[1].qvel
        force = None if target.force is None else carriage.vector(target.force)
        return Target(carriage.pose(target.qpos), velocity, target.down, target.torque, force)


class _GroundUnderFoot(NamedTuple):
    """The ground under a foot."""

    centre: Array  # (3,) m: centre of the sole on level ground
    rise: float  # m from `centre` up to the actual ground
    tilt: Array  # (4,) rotation of the ground from level

    def carried(self, place: Array) -> Array:
        """(3,) m: a point of a foot on level ground, moved and tilted to the actual ground."""
        return np.asarray(self.centre + [0.0, 0.0, self.rise] + quat_rotate(self.tilt, place - self.centre))


def fit_start_to_ground(body: Body, qpos: Array, heights: Heights, level: float) -> Array:
    """(nq,) a pose made for level ground at height `level` (m), with the legs bent to fit other ground.

    Each foot keeps its height above the ground. The root rises by the feet's mean rise, less what the legs need.
    """
    footing = EditedFootPlacement(body)
    place, turn = (each[0] for each in footing.places(qpos[None]))
    hips = footing.hips(qpos[None])
    soles = [at + quat_rotate(to, points) for at, to, points in zip(place, turn, sole_points(body), strict=True)]
    grounds = [_ground_under_sole_at_start(sole, heights, level) for sole in soles]
    risen = np.array([ground.carried(at) for ground, at in zip(grounds, place, strict=True)])
    tilted = np.array([quat_multiply(ground.tilt, to) for ground, to in zip(grounds, turn, strict=True)])
    rise = np.array([0.0, 0.0, np.mean([ground.rise for ground in grounds])])
    rise[2] -= pelvis_drop(hips + rise, risen[None], leg_lengths(body), np.linalg.norm(hips - place, axis=-1))[0]
    moved = np.array(qpos)
    moved[:3] += rise
    return footing.settled([Frame(moved, None)], risen[None], tilted[None])[0].qpos


def _ground_under_sole_at_start(sole: Array, heights: Heights, level: float) -> _GroundUnderFoot:
    """The ground under the points (n, 3) of a sole."""
    rise, tilt = ground_under_sole(sole, heights(sole[:, 0], sole[:, 1]) - level)
    return _GroundUnderFoot(np.array([*sole[:, :2].mean(axis=0), level]), rise, tilt)
