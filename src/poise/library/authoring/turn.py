"""Turns: a gait along a path that curves to the left.

The motion begins and ends in the gait at left heel strike. Each footprint has the heading that the pelvis has when the
pelvis passes over the foot, so feet pivot only in the air. The faster the body moves, the more it leans into the turn.
Trunk and head turn ahead of the pelvis.
"""

from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array, readonly
from poise.body.body import Body
from poise.body.pose_space import PoseSpace
from poise.ease import quintic_ease
from poise.edit.take import take_of
from poise.edit.track import TakeFootTrack
from poise.edit.travel import turned_path_moves
from poise.edit.walk import Course, CourseMoves, RigidEditMove, take_on_course
from poise.library.authoring import gait_change
from poise.library.authoring.curves import CYCLE
from poise.library.authoring.figure import SourceFigure
from poise.library.authoring.gait import RATE, clip_of_gait_source, gait_of_source
from poise.library.authoring.source import MotionSource
from poise.reference.body_clip import BodyClip
from poise.reference.played import Played
from poise.reference.supports import Sketch, sketch_of_clip
from poise.retarget.contact_detection import GRAVITY
from poise.rotations import quat_exp, quat_from_axis_angle, quat_multiply, quat_rotate

_BEFORE, _AFTER = 50.0, 60.0  # percent of the cycle walked before the first and after the last frame, then cut off
_PASSING = 30.0  # percent of the cycle after heel strike at which the pelvis passes over the foot
_EDGE = 0.25  # share of the turn over which the turning rate rises, and again over which it falls
_LEAN = 0.85  # share of the lean angle that would balance the centripetal acceleration
_TRUNK, _HEAD = 18.0, 30.0  # percent of the cycle by which trunk and head lead the pelvis; at most _PASSING
_STIFF = 25.0  # the same for the trunk of a body whose neck does not turn: the trunk carries the head
_OVER = 20.0  # percent of the cycle over which the straight walk blends into the curved one
_X = np.array([1.0, 0.0, 0.0])


def sketch_of_turn_source(source: MotionSource, body: Body) -> Sketch:
    """Build the turn that a source of kind "turn" describes."""
    source.table.check(("kind", "title", "begins", "ends", "base", "degrees", "cycles", "size"))
    steady = clip_of_gait_source(gait_of_source(source.other("base")), body)
    end = CYCLE * source.table.whole("cycles", None, 1)
    heading = _TurnSourceHeading(np.radians(source.table.number("degrees")), end, (steady.frames - 1) / CYCLE)
    bent = _walk_of_turn_source(_straight_walk_of_turn_source(source, steady, end), heading)
    assert bent.down is not None
    kept = slice(heading.frame(0.0), heading.frame(end) + 1)
    clip = BodyClip(source.name, body, RATE, readonly(bent.qpos[kept]), readonly(bent.down[kept], bool), cyclic=True)
    return sketch_of_clip(clip)


@dataclass(frozen=True)
class _TurnSourceHeading:
    """Heading of the turn at each frame of the straight walk from which the turn is made."""

    radians: float  # of the whole turn
    end: float  # percent of the cycle at which the motion ends
    frames: float  # frames per percent of the cycle

    def frame(self, percent: float) -> int:
        """Index of the frame at a percent of the cycle."""
        return round((percent + _BEFORE) * self.frames)

    def at(self, frame: Array, ahead: float = 0.0) -> Array:
        """Heading (T,) in rad at frames (T,), `ahead` percent of the cycle later.

        The turning rate is constant except at the edges. The turn begins with the first step after the first frame and
        ends with the last step before the last frame.
        """
        percent = frame / self.frames - _BEFORE + ahead
        share = np.clip((percent - _PASSING) / (self.end - CYCLE / 2), 0.0, 1.0)
        turned = _turn_source_share(share) - _turn_source_share(share - 1 + _EDGE)
        return np.asarray(self.radians * turned / (1 - _EDGE))


def _turn_source_share(share: Array) -> Array:
    """Integral from 0 to `share` of a rate that rises smoothly (3u^2 - 2u^3) from 0 to 1 over _EDGE and stays at 1."""
    within = np.clip(share / _EDGE, 0.0, 1.0)
    return np.asarray(_EDGE * within**3 * (1 - within / 2) + np.maximum(share - _EDGE, 0.0))


def _straight_walk_of_turn_source(source: MotionSource, steady: BodyClip, end: float) -> BodyClip:
    """The straight walk from which the turn is made, with the step sizes of the source."""
    per_frame = CYCLE / (steady.frames - 1)
    percent = np.round(np.arange(-_BEFORE, end + _AFTER + per_frame / 2, per_frame), 9)
    size = gait_change.read_source_stages(source, "size")(percent)
    pace = gait_change.PacedStretch(percent, size, np.zeros(len(percent)), np.zeros(len(percent)))
    down = gait_change.gait_source_contacts_at(steady, percent)
    mean = PoseSpace(steady.body).normalized(np.mean(steady.qpos[:-1], axis=0, keepdims=True))[0]
    mean[0] = 0.0
    return gait_change.clip_of_pace_source(steady, mean, pace, down)  # smaller steps blend towards the mean pose


def _walk_of_turn_source(straight: BodyClip, heading: _TurnSourceHeading) -> BodyClip:
    """The walk on the curved path, with trunk and head turned ahead. Both ends equal those of the straight walk."""

    def prepare(_: TakeFootTrack) -> Course:
        return lambda track: _moves_of_turn_source(track, heading)

    bent = take_on_course(take_of(Played(straight), straight.body), None, prepare).clip(straight.seconds)
    frame = np.arange(float(bent.frames))
    figure = SourceFigure(bent.body)
    leads = 0.0, _TRUNK if figure.has("neck_rotation") else _STIFF, _HEAD
    pelvis, trunk, head = (np.degrees(heading.at(frame, ahead)) for ahead in leads)
    looking = figure.bent(bent.qpos, {"trunk_rotation": trunk - pelvis, "neck_rotation": head - trunk})
    return replace(bent, qpos=readonly(_turn_source_with_straight_ends(straight, looking, heading)))


def _turn_source_with_straight_ends(straight: BodyClip, bent: Array, heading: _TurnSourceHeading) -> Array:
    """The poses `bent` (T, nq), blended at both ends of the motion into the rigidly moved straight walk."""
    space = PoseSpace(straight.body)
    percent = np.arange(len(bent)) / heading.frames - _BEFORE
    late = percent > heading.end / 2
    turn = np.where(late[:, None], quat_exp([0.0, 0.0, heading.radians]), quat_exp(np.zeros(3)))
    moved = np.array(straight.qpos)
    moved[:, :3] = quat_rotate(turn, straight.qpos[:, :3])
    moved[late, :2] += bent[-1, :2] - moved[-1, :2]
    moved[:, 3:7] = quat_multiply(turn, straight.qpos[:, 3:7])
    share = quintic_ease(np.minimum(percent, heading.end - percent) / _OVER)
    return space.moved(moved, share[:, None] * space.difference(moved, bent))


def _moves_of_turn_source(track: TakeFootTrack, heading: _TurnSourceHeading) -> CourseMoves:
    """Moves of root and footprints onto the curved path: each increment of the path is rotated by its heading."""
    yaw = heading.at(track.first + np.arange(float(track.frames)))
    flat = turned_path_moves(track, yaw)
    speed = np.linalg.norm(np.diff(track.path, axis=0, prepend=track.path[:1]), axis=1) * RATE
    lean = _LEAN * np.arctan(speed * np.gradient(yaw) * RATE / GRAVITY)
    tilted = quat_multiply(flat.turn, quat_from_axis_angle(-_X, lean))
    around = np.pad(track.path, ((0, 0), (0, 1)))  # points on the ground about which the body leans
    root = RigidEditMove(tilted, flat.place(around) - quat_rotate(tilted, around))
    rows = [min(stance.begin + round(_PASSING * heading.frames), track.frames - 1) for stance in track.stances]
    return CourseMoves(root, tuple(RigidEditMove(flat.turn[row], flat.shift[row]) for row in rows))
