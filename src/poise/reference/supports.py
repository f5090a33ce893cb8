"""Supports of a motion: contact points that stay in place, contact spheres that roll, hands that grip."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from poise.arrays import Array, Mask, readonly, true_runs
from poise.body.body import Body
from poise.body.link_kinematics import LinkKinematics
from poise.body.surface import ContactPart, ContactSphere, contact_spheres_of_body
from poise.reference.body_clip import BodyClip
from poise.rotations import quat_conjugate, quat_rotate

_SAME = 1e-3  # m: a contact point this near to the lowest point of a sphere belongs to that sphere
_LEVEL = 0.03  # m: a part that rests this close to height 0 rests on the floor
_HELD = 0.3  # m: hands that rest higher than this hold on to something


@dataclass(frozen=True, eq=False)
class Support:
    """A point of a link, or a sphere around a point, that is in contact during some of the T frames."""

    name: str  # left_foot_heel_0, back, left_hand
    link: str
    centre: Array  # (3,) m in the link frame
    down: Mask  # (T,) whether the support is in contact
    radius: float = 0.0  # m, of a sphere that rolls on the ground; 0 for a point that does not move
    place: Array | None = None  # (3,) m in the world, where a grip holds the point; None for contacts with the ground
    ground: Array | None = None  # (T,) m, height of the ground below the support; None for 0


@dataclass(frozen=True, eq=False)
class Sketch:
    """A desired motion: poses, and the supports that carry the body. It need not obey physics."""

    clip: BodyClip
    supports: tuple[Support, ...]


def sketch_of_clip(clip: BodyClip) -> Sketch:
    """Sketch with all parts ever in contact, feet by spheres or points at the sole's corners, on estimated ground."""
    if clip.down is None:
        return Sketch(clip, ())
    balls = contact_spheres_of_body(clip.body)
    hands = {hand.link for hand in clip.body.hands}
    found = []
    for part, down in zip(clip.parts, bearing_supports_of_reference(clip.parts, clip.down).T, strict=True):
        if down.any():
            held = part.name in hands and _part_height_in_reference(clip, part)[down].min() > _HELD
            if held:
                found += _grip_supports_of_reference(clip, part, down)
            else:
                found += _ground_supports_of_reference(clip, part, down, balls)
    return Sketch(clip, tuple(found))


def bearing_supports_of_reference(parts: tuple[ContactPart, ...], down: Mask) -> Mask:
    """(T, P) `down` without toe tips while the heel is up and the ball is down: rolling drags hinged toes along."""
    column = {part.name: p for p, part in enumerate(parts)}
    out = np.array(down)
    for p, part in enumerate(parts):
        if part.name.endswith("_tip"):
            heel, ball = (down[:, column[f"{part.limb}_{end}"]] for end in ("heel", "ball"))
            out[:, p] &= heel | ~ball
    return readonly(out, bool)


def _ground_supports_of_reference(
    clip: BodyClip, part: ContactPart, down: Mask, balls: tuple[ContactSphere, ...]
) -> list[Support]:
    height, levels = _part_height_in_reference(clip, part), []
    for start, stop in true_runs(np.asarray(down)):
        level = float(np.median(height[start:stop]))
        levels.append((start, stop, 0.0 if abs(level) < _LEVEL else level))
    ground = ground_below_rests(levels, clip.frames)
    return [
        Support(f"{part.name}_{k}", part.link, centre, down, radius, ground=readonly(ground))
        for k, (centre, radius) in enumerate(spheres_of_reference_part(clip.body, part, balls))
    ]


def _grip_supports_of_reference(clip: BodyClip, part: ContactPart, down: Mask) -> list[Support]:
    """One support for each interval of `down` (T,), in which a hand grips a fixed place."""
    places, _ = LinkKinematics(clip.body, [(part.link, part.points[0])]).at(clip.qpos)
    out = []
    for number, (start, stop) in enumerate(true_runs(np.asarray(down))):
        only = np.zeros(clip.frames, bool)
        only[start:stop] = True
        place = readonly(np.median(places[start:stop, 0], axis=0))
        out.append(Support(f"{part.name}_{number}", part.link, part.points[0], readonly(only, bool), place=place))
    return out


def spheres_of_reference_part(
    body: Body, part: ContactPart, balls: tuple[ContactSphere, ...]
) -> list[tuple[Array, float]]:
    """Centre (3,) m and radius (m) of the sphere at each point of a part. Without a sphere: the point and 0."""
    _, turns = LinkKinematics(body, (), [part.link]).at(body.standing[None])
    up = quat_rotate(quat_conjugate(turns[0, 0]), np.array([0.0, 0.0, 1.0]))
    out = []
    for point in part.points:
        own = (ball for ball in balls if ball.link == part.link)
        near = next((b for b in own if np.linalg.norm(b.centre - b.radius * up - point) < _SAME), None)
        out.append((readonly(point), 0.0) if near is None else (near.centre, near.radius))
    return out


def _part_height_in_reference(clip: BodyClip, part: ContactPart) -> Array:
    """(T,) m: height of the part's lowest point above height 0, per frame."""
    places, _ = LinkKinematics(clip.body, [(part.link, point) for point in part.points]).at(clip.qpos)
    return np.asarray(places[..., 2].min(axis=1))


def ground_below_rests(levels: Sequence[tuple[int, int, float]], frames: int) -> Array:
    """(T,) m: ground under rests (first frame, end, height); between two the lower height, beyond ends at most 0."""
    out = np.zeros(frames)
    for start, stop, level in levels:
        out[start:stop] = level
    for (_, stop, before), (start, _, after) in pairwise(levels):
        out[stop:start] = min(before, after)
    if levels:
        out[: levels[0][0]] = min(levels[0][2], 0.0)
        out[levels[-1][1] :] = min(levels[-1][2], 0.0)
    return out
