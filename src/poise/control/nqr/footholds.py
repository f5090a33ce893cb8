"""Where the feet of a motion come down, and how its legs reach ground that is higher or lower."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.body import Body
from poise.body.carrying import Carriage, advance
from poise.reference.bodyclip import BodyClip
from poise.reference.dynamic import Dynamic
from poise.reference.ik_kinematics import Kinematics
from poise.spatial import Array

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

ARM = 0.1
"""Of the standing root's height: how far a turn of a foot by a radian is deemed to move it."""
SLACK = 1e-3
"""Of that height squared: a leg that is almost straight reaches less far, lest its knee jumps."""


@dataclass(frozen=True, eq=False)
class Footholds:
    """Of a motion of K steps and a body with F feet, in the frame that the motion was made in."""

    down: Bools  # (K, F) whether a foot stands
    soonest: Bools  # (K, F) whether no other lands before it
    swing: Array  # (K, 2, F) share of its way through the air that is done, when a step begins and ends; 0 if it stands
    between: Array  # (K, 2) likewise, of the way from the last landing to the next, of whichever feet
    prints: tuple[Array, ...]  # (F) of (K, B, 2) m from the root: where a foot's balls will stand when it has landed
    raising: Array  # (K + 1, F, nv) rad/m: how joints move for a foot to rise and nothing else to move


@dataclass(frozen=True, eq=False)
class _Track:
    """A motion with what comes before and after it: N frames, of which K + 1 from `first` on are its own."""

    down: Bools  # (N, C)
    points: Array  # (N, C, 3) m
    first: int


def feet_of(body: Body) -> tuple[Ints, ...]:
    """For each foot the ids of its links: the one that it is named after, and all that hangs on it."""
    return tuple(_links_from(body, foot.link) for foot in body.feet)


def footholds_of(motion: Dynamic) -> Footholds:
    """Of a cycle that goes on and on; or of a motion that ends, where feet in the air are about to land."""
    body = motion.clip.body
    track = _cycles(motion) if motion.clip.cyclic else _alone(motion)
    own = slice(track.first, track.first + len(motion.torque))
    links = [body.link_id(link) for link in motion.contacts.links]
    balls = [np.isin(links, foot) for foot in feet_of(body)]
    frames = len(track.down)
    down = np.zeros((len(balls), frames), bool)
    for foot, mine in enumerate(balls):
        down[foot] = track.down[:, mine].any(axis=1)
    lands = np.zeros_like(down)
    lands[:, 1:] = down[:, 1:] & ~down[:, :-1]
    coming = np.array([_next(each) for each in lands], np.int64).reshape(down.shape)
    swing = np.array([_done(*each) for each in zip(down, coming, lands, strict=True)]).reshape(*down.shape, 2)
    any_lands, soonest = np.asarray(lands.any(axis=0)), coming.min(axis=0, initial=frames)
    root = motion.clip.qpos[:-1, None, :2]
    return Footholds(
        down[:, own].T,
        ((coming == soonest) & (coming < frames))[:, own].T,
        swing[:, own].transpose(1, 2, 0),
        _done(any_lands, soonest, any_lands)[own],
        tuple(_prints(track, mine, then)[own] - root for mine, then in zip(balls, coming, strict=True)),
        _raising(motion.clip),
    )


def _cycles(motion: Dynamic) -> _Track:
    """A cycle, the one before it, and two after it."""
    steps, points = len(motion.torque), motion.points()[:-1]
    further = Carriage(*advance(motion.clip.qpos[0], motion.clip.qpos[-1]))
    places = [points, points]  # where the cycle before takes place does not matter
    for _ in range(2):
        places.append(further.vector(places[-1]) + further.way)
    return _Track(np.tile(motion.contacts.down[:-1], (4, 1)), np.concatenate(places), steps)


def _alone(motion: Dynamic) -> _Track:
    """A motion that begins as it has been, and ends with all feet on the ground."""
    down, points = motion.contacts.down, motion.points()
    landed = np.ones_like(down[:1])
    return _Track(np.concatenate([down[:1], down, landed]), points[[0, *range(len(points)), -1]], 1)


def _next(happens: Bools) -> Ints:
    """(N,) when it happens next after each frame; N for never."""
    times = np.append(np.flatnonzero(happens), len(happens))
    later = np.searchsorted(times, np.arange(len(happens)), side="right")
    return np.asarray(times[later], np.int64)


def _done(since: Bools, until: Ints, arrives: Bools) -> Array:
    """(N, 2) as each step begins and ends: the share that is over of the time since the last of `since`."""
    frames = np.arange(len(since))
    last = np.maximum.accumulate(np.where(since, frames, 0))
    share = np.where(until < len(since), (frames - last) / np.maximum(until - last, 1), 0.0)
    return np.stack([share, np.append(np.where(arrives, 1.0, share)[1:], 0.0)], axis=1)


def _prints(track: _Track, balls: Bools, coming: Ints) -> Array:
    """(N, B, 2) m: where the balls of a foot stand after the landing to come, when most of them do."""
    bearing, middle = track.down[:, balls].sum(axis=1), np.arange(len(coming))
    for landing in np.unique(coming[coming < len(coming)]):
        bears = bearing[landing:] * np.logical_and.accumulate(bearing[landing:] > 0)
        full = np.flatnonzero(bears == bears.max())
        middle[coming == landing] = landing + full[len(full) // 2]
    return track.points[middle][:, balls, :2]


def _raising(clip: BodyClip) -> Array:
    """(T, F, nv) rad/m: damped inverse kinematics of each leg, of which the foot keeps its place and direction."""
    body = clip.body
    feet, tall = [foot.link for foot in body.feet], float(body.standing[2])
    posed = Kinematics(body, [(foot, np.zeros(3)) for foot in feet], feet).posed(clip.qpos)
    rows = np.concatenate([posed.place_rows, ARM * tall * posed.turn_rows], axis=2)  # (T, F, 6, nv) m
    rows[..., :6] = 0.0
    upward = np.zeros((6, 1))
    upward[2] = 1.0
    square = rows @ rows.swapaxes(-1, -2) + SLACK * tall**2 * np.eye(6)
    return (rows.swapaxes(-1, -2) @ np.linalg.solve(square, np.broadcast_to(upward, (*rows.shape[:2], 6, 1))))[..., 0]


def _links_from(body: Body, top: str) -> Ints:
    model, found = body.model, {body.link_id(top)}
    for link in range(1, model.nbody):
        if int(model.body_parentid[link]) in found:
            found.add(link)
    return np.array(sorted(found), np.int64)
