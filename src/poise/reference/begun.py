"""A cycle begun anywhere: with a performer that starts from the origin all the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.body.carrying import Carriage, advance
from poise.frozen import readonly
from poise.reference.dynamic import Dynamic
from poise.reference.played import Played


def begun(cycle: Dynamic, step: int) -> Played:
    """A cycle from one of its steps on, above the origin, facing forward as it does when it begins."""
    yaw, _ = advance(cycle.clip.qpos[0], cycle.clip.qpos[-1])
    turned = Carriage(-yaw * step / len(cycle.torque), np.zeros(3))
    away = turned.pose(cycle.clip.qpos[step])[:3] * [1.0, 1.0, 0.0]
    there = carried_motion(cycle, turned.shifted(-away))
    return Played(there.clip, there, step * cycle.step)


def carried_motion(motion: Dynamic, carriage: Carriage) -> Dynamic:
    """The same motion elsewhere on the ground, with all that brings it about."""
    return replace(
        motion,
        clip=replace(motion.clip, qpos=readonly(carriage.pose(motion.clip.qpos))),
        qvel=readonly(carriage.velocity(motion.qvel)),
        contacts=replace(motion.contacts, force=readonly(carriage.vector(motion.contacts.force))),
    )
