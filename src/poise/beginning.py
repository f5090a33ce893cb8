"""Where a performance begins: the world at the start of a reference, and the reference where the character stands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.body.carrying import Carriage
from poise.reference import Reference, Target
from poise.reference.edit.limbs import has_legs
from poise.reference.reference import edition_of
from poise.world.ground import Place
from poise.world.stance import stood
from poise.world.world import World

DEEP = 0.01
"""m: who would start sunk into the ground by more than this bends and stretches his legs instead of hovering."""


def start(world: World, reference: Reference, seed: int, noise: float, stand: Place | None = None) -> Place:
    """Put the world at the beginning of the reference, on the ground, and return the place."""
    scene = world.scene
    place = scene.terrain.summit() if reference.start == "summit" else stand or Place()
    if reference.start != "summit":
        place = replace(place, z=scene.terrain.height(place.x, place.y))
    first = reference.at(0.0)
    qpos, qvel = np.array(world.model.qpos0), np.zeros(world.model.nv)
    for index in range(1, len(scene.bodies)):
        qpos[scene.coordinates(index)] = carriage_of(scene.place(index)).pose(scene.bodies[index].standing)
    qpos[scene.coordinates(0)] = carriage_of(place).pose(first.qpos)
    velocity = carriage_of(place).velocity(first.qvel)
    velocity[6:] += noise * np.random.default_rng(seed).standard_normal(len(velocity) - 6)
    qvel[scene.dofs(0)] = velocity
    world.reset(qpos, qvel)
    own = qpos[scene.coordinates(0)]  # a view
    if _sunk(world) > DEEP and has_legs(scene.body):
        pose = stood(scene.body, own, scene.terrain.heights, place.z)
        place = replace(place, z=place.z + float(pose[2] - own[2]))
        own[:] = pose
        world.reset(qpos, qvel)
    rise = _sunk(world)
    if rise > 0:
        place = replace(place, z=place.z + rise)
        own[2] += rise
        world.reset(qpos, qvel)
    return place


def _sunk(world: World) -> float:
    """m by which the body must be lifted until nothing of it is sunk into the ground: the lowest point decides."""
    contacts = world.contacts
    own = (world.scene.model.body_rootid[contacts.body] == 1) & (contacts.other == 0)
    return float(np.max(-contacts.gap[own] / np.maximum(contacts.frame[own, 0, 2], 0.1), initial=0.0))


def carriage_of(place: Place) -> Carriage:
    """What carries a motion from the origin to a place."""
    return Carriage(place.yaw, np.array([place.x, place.y, place.z]))


class Placed:
    """A reference moved to where the character starts; what controllers track."""

    def __init__(self, reference: Reference, place: Place) -> None:
        self.name, self.start, self.duration = reference.name, reference.start, reference.duration
        self.begin, self.motions = reference.begin, reference.motions
        self._reference, self._carriage = reference, carriage_of(place)
        self._last: tuple[Target, Target] | None = None

    @property
    def edition(self) -> int:
        """How often it was edited."""
        return edition_of(self._reference)

    def at(self, time: float) -> Target:
        """What is wanted at a time, in the world."""
        wanted = self._reference.at(time)
        if self._last is None or self._last[0].qpos is not wanted.qpos or self._last[0].qvel is not wanted.qvel:
            self._last = wanted, self._placed(wanted)  # a pose that is held is placed once
        return self._last[1]

    def _placed(self, wanted: Target) -> Target:
        there, last = self._carriage, self._last
        velocity = there.velocity(wanted.qvel) if last is None or last[0].qvel is not wanted.qvel else last[1].qvel
        force = None if wanted.force is None else there.vector(wanted.force)
        return Target(there.pose(wanted.qpos), velocity, wanted.down, wanted.torque, force)
