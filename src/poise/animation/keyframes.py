"""The same poses without physics: what an animation program draws between them, to compare with."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.animation.directing import keys_of, solved_changes
from poise.animation.script import Script
from poise.beginning import carriage_of
from poise.frozen import readonly
from poise.reference.authoring.keyed_curves import Keys, curve
from poise.reference.bodyclip import BodyClip
from poise.reference.keyposes import posed, standing_coordinates

RATE = 60.0
"""Frames per second."""


def keyframed(script: Script, seconds: float | None = None) -> BodyClip:
    """Smooth curves through a script's keys. The root turns as told, and stays where it begins: nothing moves it."""
    body = script.scene.body
    times = np.arange(round((seconds or script.seconds) * RATE) + 1) / RATE
    first = standing_coordinates(body)
    coordinates = np.tile(first, (len(times), 1))
    keys = keys_of(script, solved_changes(script.goals))
    for dof in np.unique(keys.dof):
        own = keys.dof == dof
        at, last = np.unique(keys.time[own][::-1], return_index=True)  # of keys at one time the last one counts
        values = keys.value[own][::-1][last]
        if at[0] > 0:
            at, values = np.append(0.0, at), np.append(first[dof], values)
        coordinates[:, dof] = curve(Keys(at, values), times)
    qpos = np.array([posed(body, row) for row in coordinates])
    qpos[:, 2] += script.rise
    stand = script.beginning.stand
    qpos = carriage_of(replace(stand, z=script.scene.terrain.height(stand.x, stand.y))).pose(qpos)
    return BodyClip(f"{script.name}-keyframes", body, RATE, readonly(qpos))
