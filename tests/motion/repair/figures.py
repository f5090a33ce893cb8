"""Motions made by hand for hand-written skeletons, and the files they might have come in."""

import itertools
from dataclasses import replace

import numpy as np

from poise.arrays import readonly
from poise.motion.clip import Clip, clip_from, convert_clip, file_convention
from poise.motion.files import RawMotion
from poise.motion.roles import find_roles
from poise.motion.skeleton import End, Skeleton
from poise.rotations import quat_conjugate, quat_from_axis_angle, quat_multiply, quat_normalize, quat_rotate
from skeletons import PEOPLE

TURNS = [
    np.array(rows) * np.array(signs)[:, None]
    for rows in itertools.permutations(np.eye(3))
    for signs in itertools.product((1, -1), repeat=3)
    if np.isclose(np.linalg.det(np.array(rows) * np.array(signs)[:, None]), 1)
]
"""All 24 ways to name three axes."""

G = 9.81


def standing(skeleton, frames):
    """(T, J, 4) rotations of the upright pose."""
    one = np.tile([1.0, 0.0, 0.0, 0.0], (skeleton.count, 1)) if skeleton.upright is None else skeleton.upright
    return np.tile(one, (frames, 1, 1))


def stroll(family="mixamo", frames=160, rate=60.0, drift=1.5):
    """An upright figure that glides forward and sways a little: enough to be seen standing."""
    skeleton = PEOPLE[family]()
    time = np.arange(frames) / frames
    position = np.stack([drift * time, 0.02 * np.sin(9 * time), 0.95 + 0.01 * np.cos(17 * time)], axis=1)
    sway = quat_from_axis_angle([1.0, 0.0, 0.0], 0.05 * np.sin(7 * time))
    rotation = standing(skeleton, frames)
    rotation[:, 0] = quat_multiply(sway, rotation[:, 0])
    return clip_from("stroll", skeleton, rate, position, rotation)


def hop(rate, height=0.3, family="mixamo", stand=0.6):
    """Stand, fly as gravity has it, stand: frames at a rate."""
    up = np.sqrt(2 * G * height)
    flight = 2 * up / G
    time = np.arange(0.0, 2 * stand + flight, 1 / rate)
    air = np.clip(time - stand, 0.0, flight)
    skeleton = PEOPLE[family]()
    position = np.stack([0.4 * air, 0 * air, 0.95 + up * air - G * air**2 / 2], axis=1)
    return clip_from("hop", skeleton, rate, position, standing(skeleton, len(time)))


def filed(clip: Clip, unit: float, axes) -> RawMotion:
    """The clip as a file in some unit and axes has it: ours = unit * axes @ theirs."""
    theirs = convert_clip(clip, 1 / unit, axes.T)
    bare = type(clip.skeleton)(
        clip.skeleton.names, clip.skeleton.parents, theirs.skeleton.offsets, theirs.skeleton.ends, file_convention()
    )
    raw = clip_from(clip.name, bare, clip.rate, theirs.position, theirs.rotation, theirs.translation)
    return RawMotion(raw, None, None, "bvh")


def reframed(clip: Clip, seed: int) -> Clip:
    """The same motion of joints whose frames are turned at random: their zero pose means nothing any more."""
    old = clip.skeleton
    turns = quat_normalize(np.random.default_rng(seed).normal(size=(old.count, 4)))
    above = np.concatenate([[[1.0, 0.0, 0.0, 0.0]], turns[list(old.parents[1:])]])
    ends = tuple(End(e.joint, readonly(quat_rotate(quat_conjugate(turns[e.joint]), e.offset))) for e in old.ends)
    offsets = readonly(quat_rotate(quat_conjugate(above), old.offsets))
    heap = replace(old, offsets=offsets, ends=ends, upright=None)
    rotation = quat_multiply(quat_multiply(quat_conjugate(above), clip.rotation), turns)
    return clip_from(clip.name, heap, clip.rate, clip.position, rotation)


def nameless(clip: Clip) -> Clip:
    """The clip of joints whose names say nothing."""
    names = tuple(f"joint{k}" for k in range(clip.skeleton.count))
    return replace(clip, skeleton=replace(clip.skeleton, names=names))


def marked(clip: Clip) -> Clip:
    """The clip below a root that is a mark on the ground; what was the root travels above it."""
    old = clip.skeleton
    offsets = np.concatenate([np.zeros((1, 3)), clip.position[:1], old.offsets[1:]])
    names, parents = ("Reference", *old.names), (-1, *(p + 1 for p in old.parents))
    ends = tuple(End(end.joint + 1, end.offset) for end in old.ends)
    skeleton = Skeleton(names, parents, readonly(offsets), ends)
    placed = np.tile(offsets, (clip.frames, 1, 1))
    placed[:, 1] = clip.position
    still = np.tile([1.0, 0.0, 0.0, 0.0], (clip.frames, 1, 1))
    rotation = np.concatenate([still, clip.rotation], axis=1)
    return clip_from(clip.name, skeleton, clip.rate, np.zeros((clip.frames, 3)), rotation, placed)


def seated(clip: Clip) -> Clip:
    """The clip with hips and knees bent by 80 degrees; its zero pose must be upright."""
    roles, rotation = find_roles(clip.skeleton), np.array(clip.rotation)
    for side in ("left", "right"):
        for part, bend in (("thigh", -1.4), ("shank", 1.4)):
            rotation[:, roles.joints[f"{side}_{part}"]] = quat_from_axis_angle([0.0, 1.0, 0.0], np.array(bend))
    return replace(clip, rotation=readonly(rotation))


def turned(q, pose):
    """The pose (J, 4) with its root turned."""
    return np.concatenate([quat_multiply(q, pose[:1]), pose[1:]])


def angle(a, b):
    """rad between quaternions."""
    w = np.abs(quat_multiply(quat_conjugate(a), b)[..., 0])
    return 2 * np.arccos(np.minimum(w, 1.0))
