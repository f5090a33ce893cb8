"""When and where the feet of a motion come down."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Ints, readonly
from poise.body.carriage import Carriage, advance
from poise.body.contact_parts import foot_links
from poise.body.link_kinematics import Kinematics
from poise.reference.body_clip import BodyClip
from poise.reference.dynamic import Dynamic

# How legs raise their feet.

ARM = 0.1
"""Of the standing root's height: how far a turn of a foot by a radian is deemed to move it."""
SLACK = 1e-3
"""Of that height squared: a leg that is almost straight reaches less far, lest its knee jumps."""


def raising_of(clip: BodyClip) -> Array:
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


# What feet do in a motion and in what follows it: which of their balls bear, and where.

Bools = NDArray[np.bool_]

_HERE = Carriage(0.0, readonly([0.0, 0.0, 0.0]))


@dataclass(frozen=True, eq=False)
class Footwork:
    """What the F feet of a motion of T frames do."""

    bearing: Ints  # (T, F) how many balls of a foot bear
    ground: Array  # (T, F) m, the motion's own below those that bear, on the mean; 0 if none does
    balls: tuple[Array, ...]  # (F) of (T, B, 3) m: where they are along the ground, and how high it is there
    down: tuple[Bools, ...]  # (F) of (T, B) which of them bear


@dataclass(frozen=True, eq=False)
class Piece:
    """Frames of a motion, where they take place."""

    work: Footwork
    first: int
    stop: int
    carriage: Carriage

    def balls(self, foot: int, frame: int) -> Array:
        """(B, 3) m of a foot, in a frame counted from the piece's first one."""
        return self.carriage.vector(self.work.balls[foot][self.first + frame]) + self.carriage.way


@dataclass(frozen=True, eq=False)
class ContactTrack:
    """A motion of K steps, and after it all that matters of what follows: N frames, seen from the motion."""

    pieces: tuple[Piece, ...]

    @property
    def bearing(self) -> Ints:
        """(N, F) how many balls of each foot bear."""
        return np.concatenate([piece.work.bearing[piece.first : piece.stop] for piece in self.pieces])

    def balls(self, foot: int, frame: int) -> Array:
        """(B, 3) m of a foot: where they are along the ground, and how high that is by the motion."""
        for piece in self.pieces:
            if frame < piece.stop - piece.first:
                return piece.balls(foot, frame)
            frame -= piece.stop - piece.first
        raise IndexError(frame)

    def entered(self, frame: int, carriage: Carriage) -> ContactTrack:
        """What remains from a frame of the motion on, where another has led to."""
        head, *rest = self.pieces
        left = [replace(head, first=frame), *rest]
        return ContactTrack(tuple(_carried(piece, carriage) for piece in left))


def track_of(motion: Dynamic, then: ContactTrack | None = None) -> ContactTrack:
    """A cycle is followed by itself, twice; any other motion by `then`, if by anything."""
    own = Piece(_footwork(motion), 0, len(motion.torque), _HERE)
    if not motion.clip.cyclic:
        return ContactTrack((own, *(then.pieces if then else ())))
    further = Carriage(*advance(motion.clip.qpos[0], motion.clip.qpos[-1]))
    again = _carried(own, further)
    return ContactTrack((own, again, _carried(again, further)))


def _carried(piece: Piece, carriage: Carriage) -> Piece:
    return replace(piece, carriage=carriage.then(piece.carriage.yaw, piece.carriage.way))


def _footwork(motion: Dynamic) -> Footwork:
    body, contacts = motion.clip.body, motion.contacts
    links, points = [body.link_id(link) for link in contacts.links], motion.points()
    points[..., 2] = contacts.ground
    shape = (motion.clip.frames, len(body.feet))
    bearing, ground, balls, bears = np.zeros(shape, np.int64), np.zeros(shape), [], []
    for foot, own in enumerate(foot_links(body)):
        mine = np.isin(links, own)
        down = contacts.down[:, mine]
        bearing[:, foot] = down.sum(axis=1)
        ground[:, foot] = (down * contacts.ground[:, mine]).sum(axis=1) / np.maximum(bearing[:, foot], 1)
        balls.append(readonly(points[:, mine]))
        bears.append(readonly(down, bool))
    return Footwork(readonly(bearing, int), readonly(ground), tuple(balls), tuple(bears))


@dataclass(frozen=True, eq=False)
class FootContacts:
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


def footholds_of(motion: Dynamic, track: ContactTrack) -> FootContacts:
    """Of a motion and the track that it begins."""
    steps, bearing = len(motion.torque), track.bearing
    down = bearing > 0
    landings = [np.flatnonzero(now[1:] & ~now[:-1]) + 1 for now in down.T]
    until = np.array([_until(times, steps) for times in landings]).reshape(len(landings), steps).T
    soonest = until.min(axis=1, initial=np.inf)
    coming, prints = _coming(track, bearing, until)
    work = track.pieces[0].work
    before = down[steps - 1 if motion.clip.cyclic else 0]
    return FootContacts(
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


def _coming(track: ContactTrack, bearing: Ints, until: Array) -> tuple[Ints, list[Array]]:
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


# When feet land: earlier or later than the motion has it [Muico2009] section 5.4.
#
# A foot that ends a flight before its time takes the motion to where it lands; one that is late makes it wait. A foot
# that only touches while another stands means little: captured feet often brush the ground shortly before they land.

NOTICED, EARLY, LATE = 0.02, 0.1, 0.1
"""s: how early a landing is noticed, how much of a motion is passed over for one, how long it waits for a late one."""


def steps_early(holds: FootContacts, frame: int, stands: Bools, step: float) -> int:
    """How many steps of a flight are to be passed over, since a foot has landed; 0 for none."""
    if holds.down[frame].any():
        return 0
    until = step * holds.until[frame, stands]  # s
    early = until[(until >= NOTICED) & (until <= EARLY)]
    return round(float(early.max(initial=0.0)) / step)


def is_late(holds: FootContacts, frame: int, stands: Bools) -> bool:
    """Whether a foot should have landed by now and has not."""
    return bool((holds.lands[frame] & ~stands).any())
