"""Footholds of a motion: when and where its feet come down, and how its legs raise them.

Each foot bears on several contact balls (heel, ball of the foot, toes).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array, Ints, Mask, readonly
from poise.body.carriage import Carriage, advance
from poise.body.contact_parts import foot_links
from poise.body.link_kinematics import Kinematics
from poise.reference.body_clip import BodyClip
from poise.reference.dynamic import Dynamic

TURN_ARM = 0.1
"""Length, as a share of the standing root's height, that converts a turn of the foot (rad) into a displacement."""
DAMPING = 1e-3
"""Damping of the leg's inverse kinematics, as a share of that height squared. It limits the reach of an almost straight
leg, whose knee would otherwise jump."""

LEAST_EARLY, MOST_EARLY = 0.02, 0.1
"""A landing counts as early if it is this much (s) before its time: at least the first, at most the second."""
LONGEST_WAIT = 0.1  # How long (s) the motion waits for a late landing

_UNMOVED = Carriage(0.0, readonly([0.0, 0.0, 0.0]))


@dataclass(frozen=True, eq=False)
class FootContacts:
    """Contacts of the F feet in a motion of K steps, in the frame that the motion was made in."""

    root: Array  # (K, 2) m, of the root
    down: Mask  # (K, F) whether a foot stands
    ground: Array  # (K, F) m, mean height of the motion's ground under the balls that bear; 0 if none does
    balls: tuple[Array, ...]  # (F) of (K, B, 3) m: positions of a foot's balls, with the motion's ground height as z
    bears: tuple[Mask, ...]  # (F) of (K, B) which of them bear
    lands: Mask  # (K, F) whether a foot has just come down
    steps_to_landing: Array  # (K, F) until a foot next comes down, in the motion or after it; infinite if never
    lands_first: Mask  # (K, F) whether no other foot comes down before it
    next_footprint: Ints  # (K, F) index into `footprints` of that landing; -1 if there is none
    footprints: tuple[Array, ...]  # of (B, 3) m: where the balls of the foot stand then, as in `balls`
    raising: Array  # (K + 1, F, nv) rad/m: change of the pose that raises a foot and moves nothing else


def foot_contacts(motion: Dynamic, track: ContactTrack) -> FootContacts:
    """Foot contacts of a motion, the first part of a track."""
    steps, bearing = len(motion.torque), track.bearing
    down = bearing > 0
    landings = [np.flatnonzero(now[1:] & ~now[:-1]) + 1 for now in down.T]
    until = np.array([_steps_to_next(times, steps) for times in landings]).reshape(len(landings), steps).T
    soonest = until.min(axis=1, initial=np.inf)
    next_footprint, footprints = _footprints(track, bearing, until)
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
        readonly(next_footprint, int),
        tuple(footprints),
        readonly(foot_raising(motion.clip)),
    )


def _steps_to_next(times: Ints, steps: int) -> Array:
    """(K,) from each step to the first of `times` after it; infinite if there is none."""
    frames = np.arange(steps)
    return np.append(times.astype(float), np.inf)[np.searchsorted(times, frames, side="right")] - frames


def _footprints(track: ContactTrack, bearing: Ints, until: Array) -> tuple[Ints, list[Array]]:
    """(K, F) index of each foot's next footprint, and all footprints (B, 3) m."""
    index = np.full(until.shape, -1, np.int64)
    found: list[Array] = []
    landing = until + np.arange(len(until))[:, None]
    for foot, times in enumerate(landing.T):
        for time in np.unique(times[np.isfinite(times)]):
            index[times == time, foot] = len(found)
            found.append(readonly(track.balls(foot, _full_stance(bearing[:, foot], int(time)))))
    return index, found


def _full_stance(bearing: Ints, landing: int) -> int:
    """The middle of the frames in which most balls of a foot bear, in the stance phase that begins at `landing`."""
    bears = bearing[landing:] * np.logical_and.accumulate(bearing[landing:] > 0)
    most = np.flatnonzero(bears == bears.max())
    return landing + int(most[len(most) // 2])


def foot_raising(clip: BodyClip) -> Array:
    """(T, F, nv) rad/m: joint angles by which each leg raises its foot, which keeps its position along the ground and
    its orientation (damped inverse kinematics)."""
    body = clip.body
    feet, height = [foot.link for foot in body.feet], float(body.standing[2])
    posed = Kinematics(body, [(foot, np.zeros(3)) for foot in feet], feet).posed(clip.qpos)
    rows = np.concatenate([posed.place_rows, TURN_ARM * height * posed.turn_rows], axis=2)  # (T, F, 6, nv) m
    rows[..., :6] = 0.0
    upward = np.zeros((6, 1))
    upward[2] = 1.0
    square = rows @ rows.swapaxes(-1, -2) + DAMPING * height**2 * np.eye(6)
    return (rows.swapaxes(-1, -2) @ np.linalg.solve(square, np.broadcast_to(upward, (*rows.shape[:2], 6, 1))))[..., 0]


@dataclass(frozen=True, eq=False)
class ContactTrack:
    """Foot contacts of a motion of K steps and of what follows it: N frames, in the frame of the motion."""

    pieces: tuple[TrackPiece, ...]

    @property
    def bearing(self) -> Ints:
        """(N, F) number of balls of each foot that bear."""
        return np.concatenate([piece.work.bearing[piece.first : piece.stop] for piece in self.pieces])

    def balls(self, foot: int, frame: int) -> Array:
        """(B, 3) m: positions of a foot's balls along the ground, with the motion's ground height as z."""
        for piece in self.pieces:
            if frame < piece.stop - piece.first:
                local = piece.work.balls[foot][piece.first + frame]
                return piece.carriage.vector(local) + piece.carriage.way
            frame -= piece.stop - piece.first
        raise IndexError(frame)

    def entered(self, frame: int, carriage: Carriage) -> ContactTrack:
        """The rest of the track from a frame of its motion on, carried to where another motion ends."""
        head, *rest = self.pieces
        left = [replace(head, first=frame), *rest]
        return ContactTrack(tuple(_carried(piece, carriage) for piece in left))


@dataclass(frozen=True, eq=False)
class TrackPiece:
    """Frames `first` to `stop` of a motion, and where they take place."""

    work: Footwork
    first: int
    stop: int
    carriage: Carriage


@dataclass(frozen=True, eq=False)
class Footwork:
    """Contacts of the F feet in the T frames of a motion; see `FootContacts` for `ground`, `balls` and `down`."""

    bearing: Ints  # (T, F) number of balls of a foot that bear
    ground: Array  # (T, F) m
    balls: tuple[Array, ...]  # (F) of (T, B, 3) m
    down: tuple[Mask, ...]  # (F) of (T, B)


def contact_track(motion: Dynamic, then: ContactTrack | None = None) -> ContactTrack:
    """The track of a motion: a cycle is followed by itself twice, any other motion by `then`."""
    own = TrackPiece(_footwork(motion), 0, len(motion.torque), _UNMOVED)
    if not motion.clip.cyclic:
        return ContactTrack((own, *(then.pieces if then else ())))
    further = Carriage(*advance(motion.clip.qpos[0], motion.clip.qpos[-1]))
    again = _carried(own, further)
    return ContactTrack((own, again, _carried(again, further)))


def _carried(piece: TrackPiece, carriage: Carriage) -> TrackPiece:
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


def steps_early(holds: FootContacts, frame: int, touching: Mask, step: float) -> int:
    """Number of steps to skip in a flight phase that a foot (F,) has ended early; 0 for none [Muico2009] section 5.4.

    While another foot stands, an early touch does not count: captured feet often brush the ground before they land.
    """
    if holds.down[frame].any():
        return 0
    until = step * holds.steps_to_landing[frame, touching]  # s
    early = until[(until >= LEAST_EARLY) & (until <= MOST_EARLY)]
    return round(float(early.max(initial=0.0)) / step)


def is_late(holds: FootContacts, frame: int, touching: Mask) -> bool:
    """Whether a foot should have landed in this frame and does not touch (F,) the ground."""
    return bool((holds.lands[frame] & ~touching).any())
