"""The pelvis of a body that hangs from its hands, and how fast it swings by itself."""

from __future__ import annotations

import numpy as np

from poise.body import Body
from poise.frozen import Array
from poise.reference.authoring.keyed_mass import centres, pitching
from poise.reference.authoring.keyed_pins import Pins
from poise.reference.contacts import GRAVITY
from poise.reference.ik_kinematics import Kinematics


def hung(body: Body, wished: Array, pins: Pins) -> Array:
    """(T, 3) m: where the pelvis is so that, on average, the points that are down are in their places."""
    here, _ = Kinematics(body, pins.points).at(wished)
    held = pins.down[..., None]
    off = np.sum(held * (pins.places - here), axis=1) / np.maximum(held.sum(axis=1), 1)
    return np.asarray(wished[:, :3] + off)


def swing_period(body: Body, poses: Array) -> float:
    """s: of a pendulum that hangs from its hands in the mean of these poses and swings as far as the pelvis is pitched.

    To the first order an amplitude of a rad prolongs the period by a factor 1 + a^2 / 16.
    """
    hands, _ = Kinematics(body, [(hand.link, hand.point) for hand in body.hands]).at(poses)
    length = np.linalg.norm(hands.mean(axis=1) - centres(body, poses), axis=1)
    _, inertia = pitching(body, poses, np.zeros((len(poses), body.nv)))
    small = 2 * np.pi * np.sqrt(np.mean(inertia + body.mass * length**2) / (body.mass * GRAVITY * length.mean()))
    pitch = 2 * np.arctan2(poses[:, 5], poses[:, 3])
    return float(small * (1 + (np.ptp(pitch) / 2) ** 2 / 16))
