"""When and where the feet of a motion come down."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.control.nqr.raising import raising_of
from poise.control.nqr.track import Bools, Track
from poise.frozen import Array, Ints, readonly
from poise.reference.dynamic import Dynamic


@dataclass(frozen=True, eq=False)
class Footholds:
    """Of a motion of K steps and a body with F feet, in the frame that the motion was made in."""

    root: Array  # (K, 2) m
    down: Bools  # (K, F) whether a foot stands
    ground: Array  # (K, F) m, the motion's own on which it stands
    balls: tuple[Array, ...]  # (F) of (K, B, 3) m: where balls of a foot are, and how high the motion's own ground is
    bears: tuple[Bools, ...]  # (F) of (K, B) which of them bear
    lands: Bools  # (K, F) whether a foot has just come down
    until: Array  # (K, F) steps until a foot comes down next, in the motion or what follows; infinite if never
    soonest: Bools  # (K, F) whether no other comes down before it
    coming: Ints  # (K, F) which of `prints` it then leaves; -1 if none
    prints: tuple[Array, ...]  # of (B, 3) m likewise, where they stand
    raising: Array  # (K + 1, F, nv) rad/m: how joints move for a foot to rise and nothing else to move


def footholds_of(motion: Dynamic, track: Track) -> Footholds:
    """Of a motion and the track that it begins."""
    steps, bearing = len(motion.torque), track.bearing
    down = bearing > 0
    landings = [np.flatnonzero(now[1:] & ~now[:-1]) + 1 for now in down.T]
    until = np.array([_until(times, steps) for times in landings]).reshape(len(landings), steps).T
    soonest = until.min(axis=1, initial=np.inf)
    coming, prints = _coming(track, bearing, until)
    work = track.pieces[0].work
    before = down[steps - 1 if motion.clip.cyclic else 0]
    return Footholds(
        readonly(motion.clip.qpos[:-1, :2]),
        readonly(down[:steps], bool),
        work.ground[:steps],
        tuple(balls[:steps] for balls in work.balls),
        tuple(down[:steps] for down in work.down),
        readonly(down[:steps] & ~np.concatenate([before[None], down[: steps - 1]]), bool),
        readonly(until),
        readonly((until == soonest[:, None]) & np.isfinite(until), bool),
        readonly(coming, int),
        tuple(prints),
        readonly(raising_of(motion.clip)),
    )


def _until(times: Ints, steps: int) -> Array:
    """(K,) from each step to the first of `times` after it; infinite for never."""
    frames = np.arange(steps)
    return np.append(times.astype(float), np.inf)[np.searchsorted(times, frames, side="right")] - frames


def _coming(track: Track, bearing: Ints, until: Array) -> tuple[Ints, list[Array]]:
    """(K, F) which foothold is next for each foot, and where its balls then stand."""
    coming = np.full(until.shape, -1, np.int64)
    prints: list[Array] = []
    landing = until + np.arange(len(until))[:, None]
    for foot, times in enumerate(landing.T):
        for time in np.unique(times[np.isfinite(times)]):
            coming[times == time, foot] = len(prints)
            prints.append(readonly(track.balls(foot, _standing(bearing[:, foot], int(time)))))
    return coming, prints


def _standing(bearing: Ints, landing: int) -> int:
    """The frame in the middle of those in which most balls of a foot (N,) bear, after it has come down."""
    bears = bearing[landing:] * np.logical_and.accumulate(bearing[landing:] > 0)
    most = np.flatnonzero(bears == bears.max())
    return landing + int(most[len(most) // 2])
