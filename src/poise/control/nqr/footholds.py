"""Footholds of a motion: when and where its feet come down, and how its legs raise the feet.

Each foot bears on several contact balls (heel, ball of the foot, toes).
"""

from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array, Ints, Mask, readonly
from poise.body.link_kinematics import LinkKinematics
from poise.body.pose_space import PoseDisplacement, planar_displacement
from poise.body.surface import foot_links
from poise.reference.body_clip import BodyClip
from poise.reference.dynamic import Dynamic

TURN_ARM = 0.1
"""Length that converts a turn of the foot (rad) into a displacement, as a share of the standing root's height."""
DAMPING = 1e-3
"""Damping of the leg's inverse kinematics, as a share of the standing root's height squared. Without damping the knee
of an almost straight leg would jump."""

LEAST_EARLY, MOST_EARLY = 0.02, 0.1
"""A landing counts as early if it comes LEAST_EARLY to MOST_EARLY seconds before the planned landing."""
LONGEST_WAIT = 0.1  # How long (s) the motion waits for a late landing

_UNMOVED = PoseDisplacement(0.0, readonly([0.0, 0.0, 0.0]))


@dataclass(frozen=True, eq=False)
class SegmentFootContacts:
    """Contacts of the F feet, with B contact balls each, in a motion of K steps; positions in the motion's frame."""

    root: Array  # (K, 2) m, position of the root along the ground
    down: Mask  # (K, F) whether a foot stands
    ground: Array  # (K, F) m, mean height of the motion's ground under the balls that bear; 0 if no ball bears
    balls: tuple[Array, ...]  # per foot (K, B, 3) m: positions of the foot's balls; z is the height of the ground there
    bears: tuple[Mask, ...]  # per foot (K, B): whether each ball bears
    lands: Mask  # (K, F) whether a foot has just come down
    steps_to_landing: Array  # (K, F) steps until a foot next comes down, now or in a later motion; infinite if never
    lands_first: Mask  # (K, F) whether no other foot comes down before this foot
    next_footprint: Ints  # (K, F) index into `footprints` of a foot's next landing; -1 if there is none
    footprints: tuple[Array, ...]  # per landing (n, 3) m: positions of balls that bear in full stance, as in `balls`
    raising: (
        Array  # (K + 1, F, nv) rad/m, changes of leg angles that raise each foot: `foot_raising_changes_for_segment`
    )


def segment_foot_contacts(motion: Dynamic, track: "NqrContactPreview") -> SegmentFootContacts:
    """Foot contacts of a motion; `track` is the preview that begins with this motion."""
    steps, bearing = len(motion.torque), track.bearing_counts
    down = bearing > 0
    landings = [np.flatnonzero(now[1:] & ~now[:-1]) + 1 for now in down.T]
    until = np.array([_segment_steps_to_landing(times, steps) for times in landings]).reshape(len(landings), steps).T
    soonest = until.min(axis=1, initial=np.inf)
    next_footprint, footprints = _next_footprints_in_segment(track, bearing, until)
    own = track.pieces[0]
    before = down[steps - 1 if motion.clip.cyclic else 0]
    return SegmentFootContacts(
        readonly(motion.clip.qpos[:-1, :2]),
        readonly(down[:steps], bool),
        own.ground[:steps],
        tuple(balls[:steps] for balls in own.balls),
        tuple(bears[:steps] for bears in own.bears),
        readonly(down[:steps] & ~np.concatenate([before[None], down[: steps - 1]]), bool),
        readonly(until),
        readonly((until == soonest[:, None]) & np.isfinite(until), bool),
        readonly(next_footprint, int),
        tuple(footprints),
        readonly(foot_raising_changes_for_segment(motion.clip)),
    )


def _segment_steps_to_landing(times: Ints, steps: int) -> Array:
    """(K,) number of steps from each step to the next landing in `times`; infinite if no landing follows."""
    frames = np.arange(steps)
    return np.append(times.astype(float), np.inf)[np.searchsorted(times, frames, side="right")] - frames


def _next_footprints_in_segment(track: "NqrContactPreview", bearing: Ints, until: Array) -> tuple[Ints, list[Array]]:
    """(K, F) index of each foot's next footprint, -1 if there is none; and the list of all footprints (n, 3) m."""
    index = np.full(until.shape, -1, np.int64)
    found: list[Array] = []
    landing = until + np.arange(len(until))[:, None]
    for foot, times in enumerate(landing.T):
        for time in np.unique(times[np.isfinite(times)]):
            index[times == time, foot] = len(found)
            stance = _full_stance_in_segment(bearing[:, foot], int(time))
            found.append(readonly(track.ball_positions(foot, stance)[track.bearing_balls(foot, stance)]))
    return index, found


def _full_stance_in_segment(bearing: Ints, landing: int) -> int:
    """The middle of the frames in which most balls of a foot bear, in the stance phase that begins at `landing`."""
    bears = bearing[landing:] * np.logical_and.accumulate(bearing[landing:] > 0)
    most = np.flatnonzero(bears == bears.max())
    return landing + int(most[len(most) // 2])


def foot_raising_changes_for_segment(clip: BodyClip) -> Array:
    """(T, F, nv) rad/m: changes of leg angles that raise each foot straight up without turning it (damped IK)."""
    body = clip.body
    feet, height = [foot.link for foot in body.feet], float(body.standing[2])
    posed = LinkKinematics(body, [(foot, np.zeros(3)) for foot in feet], feet).posed(clip.qpos)
    rows = np.concatenate([posed.place_rows, TURN_ARM * height * posed.turn_rows], axis=2)  # (T, F, 6, nv) m
    rows[..., :6] = 0.0
    upward = np.broadcast_to(np.eye(6)[:, 2:3], (*rows.shape[:2], 6, 1))
    square = rows @ rows.swapaxes(-1, -2) + DAMPING * height**2 * np.eye(6)
    return (rows.swapaxes(-1, -2) @ np.linalg.solve(square, upward))[..., 0]


@dataclass(frozen=True, eq=False)
class NqrContactPreview:
    """Foot contacts in the N frames of a motion and of the motions after it; positions in the first motion's frame."""

    pieces: "tuple[PreviewPiece, ...]"

    @property
    def bearing_counts(self) -> Ints:
        """(N, F) number of balls that bear, of each foot in each frame."""
        return np.concatenate([piece.bearing[piece.first : piece.stop] for piece in self.pieces])

    def ball_positions(self, foot: int, frame: int) -> Array:
        """(B, 3) m: positions of a foot's balls in a frame of the preview; z is the height of the motion's ground."""
        piece, at = self._piece_and_frame(frame)
        return piece.carriage.vector(piece.balls[foot][at]) + piece.carriage.way

    def bearing_balls(self, foot: int, frame: int) -> Mask:
        """(B,) whether each of a foot's balls bears in a frame; the ground below the others is not known."""
        piece, at = self._piece_and_frame(frame)
        return np.asarray(piece.bears[foot][at])

    def _piece_and_frame(self, frame: int) -> "tuple[PreviewPiece, int]":
        """The piece that contains a frame of the preview, and the frame in that piece."""
        for piece in self.pieces:
            if frame < piece.stop - piece.first:
                return piece, piece.first + frame
            frame -= piece.stop - piece.first
        raise IndexError(frame)

    def entered_at(self, frame: int, carriage: PoseDisplacement) -> "NqrContactPreview":
        """The preview from a frame of its first motion on, displaced by `carriage` to where another motion ends."""
        head, *rest = self.pieces
        pieces = (replace(head, first=frame), *rest)
        return NqrContactPreview(tuple(_displaced_nqr_preview(piece, carriage) for piece in pieces))


@dataclass(frozen=True, eq=False)
class PreviewPiece:
    """Contacts of the F feet in the T frames of a motion; `ground`, `balls`, `bears` as in `SegmentFootContacts`."""

    bearing: Ints  # (T, F) number of a foot's balls that bear
    ground: Array  # (T, F) m
    balls: tuple[Array, ...]  # per foot (T, B, 3) m
    bears: tuple[Mask, ...]  # per foot (T, B)
    first: int  # the preview has the frames `first` to `stop`
    stop: int
    carriage: PoseDisplacement = _UNMOVED  # displacement of the motion


def nqr_contact_preview(motion: Dynamic, then: NqrContactPreview | None = None) -> NqrContactPreview:
    """The preview of a motion: a cycle is followed by itself twice, any other motion by `then`."""
    own = _nqr_preview_piece(motion)
    if not motion.clip.cyclic:
        return NqrContactPreview((own, *(then.pieces if then else ())))
    further = PoseDisplacement(*planar_displacement(motion.clip.qpos[0], motion.clip.qpos[-1]))
    again = _displaced_nqr_preview(own, further)
    return NqrContactPreview((own, again, _displaced_nqr_preview(again, further)))


def _displaced_nqr_preview(piece: PreviewPiece, carriage: PoseDisplacement) -> PreviewPiece:
    return replace(piece, carriage=carriage.then(piece.carriage.yaw, piece.carriage.way))


def _nqr_preview_piece(motion: Dynamic) -> PreviewPiece:
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
    steps = len(motion.torque)
    return PreviewPiece(readonly(bearing, int), readonly(ground), tuple(balls), tuple(bears), 0, steps)


def segment_steps_landed_early(holds: SegmentFootContacts, frame: int, touching: Mask, step: float) -> int:
    """Number of steps by which a flight phase ends early because feet are `touching` (F,) the ground; 0 if not early.

    [Muico2009] section 5.4. A touch does not count while the motion has a foot on the ground: the feet of captured
    motions often brush the ground before they land.
    """
    if holds.down[frame].any():
        return 0
    until = step * holds.steps_to_landing[frame, touching]  # s
    early = until[(until >= LEAST_EARLY) & (until <= MOST_EARLY)]
    return round(float(early.max(initial=0.0)) / step)


def is_segment_landing_late(holds: SegmentFootContacts, frame: int, touching: Mask) -> bool:
    """Whether a foot comes down in this frame of the motion, but is not `touching` (F,) the ground yet."""
    return bool((holds.lands[frame] & ~touching).any())
