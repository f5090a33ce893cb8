"""The pelvis of a motion that rolls: what is lowest touches the ground and does not slip.

Limbs and trunk touch with the round ends of their shapes, as balls. The body leans to the side until it lies on both
sides of its centre of mass, is so high that the lowest balls rest on the ground, and goes its way so that they roll.
What the source says is down comes down and rolls, lowest or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d
from scipy.special import logsumexp

from poise.arrays import Array, hysteresis, readonly, runs, without_short
from poise.body.body import Body
from poise.body.contact_parts import contact_parts
from poise.body.link_kinematics import Kinematics
from poise.body.surface import ContactSphere, balls_of
from poise.library.authoring.keyed_support import centres
from poise.library.authoring.prints import KeyedPins
from poise.reference.supports import Support, bearing_supports, rounded
from poise.rotations import quat_conjugate, quat_exp, quat_log, quat_multiply

_SOFT = 0.004  # m: balls so much higher than the lowest bear less, by a factor of e
_LEAN = 0.35  # rad: no body leans more until it lies
_CALM = 0.03  # s over which weight goes over from ball to ball
_TOUCHING, _LIFTED = 0.006, 0.012  # m above the ground: nearer bears, farther does not, between both as before
_LEVEL = 0.0005  # m: balls of one stiff piece that roll together are as high to this
_SHORTEST = 3  # frames
_SAME_JOINT = 0.005  # m: ends of neighbouring links that are so near meet in a joint
_LITTLE = 1e-6  # a weight that counts where there is no other

Mask = NDArray[np.bool_]


def outer_balls(body: Body) -> tuple[ContactSphere, ...]:
    """The balls of a body without those that are inside a larger one about the same joint."""
    balls = balls_of(body)
    hidden = np.asarray(_inside(body, balls).any(axis=1))
    return tuple(ball for ball, inner in zip(balls, hidden, strict=True) if not inner)


def _inside(body: Body, balls: Sequence[ContactSphere]) -> Mask:
    """(B, B) whether the first is inside the second, about the same joint."""
    places, _ = _kinematics(body, balls).at(body.standing[None])
    radii = np.array([ball.radius for ball in balls])
    apart = np.linalg.norm(places[0, :, None] - places[0], axis=-1)
    return np.asarray((apart < _SAME_JOINT) & (radii[:, None] < radii))


def _stiff(body: Body, balls: Sequence[ContactSphere]) -> Mask:
    """(B, B) whether the second moves with the first: no joint is between them, or it is about that very joint."""
    every = balls_of(body)
    number = {ball.name: k for k, ball in enumerate(every)}
    piece = body.model.body_weldid[[body.link_id(ball.link) for ball in every]]
    same = piece[:, None] == piece
    with_inner = same @ _inside(body, every)  # by way of a ball of its own inside the second
    chosen = [number[ball.name] for ball in balls]
    return np.asarray((same | with_inner)[np.ix_(chosen, chosen)])


def told_down(body: Body, balls: Sequence[ContactSphere], parts: Mask) -> Mask:
    """(T, B) balls that are down because their parts (T, P) are said to be: ends of the soles, finger tips."""
    told = np.zeros((len(parts), len(balls)), bool)
    known = contact_parts(body)
    for part, down in zip(known, bearing_supports(known, parts).T, strict=True):
        centres = [centre for centre, radius in rounded(body, part, tuple(balls)) if radius] or _tip(balls, part.link)
        for b, ball in enumerate(balls):
            if ball.link == part.link and any(np.array_equal(ball.centre, centre) for centre in centres):
                told[:, b] |= down
    return told


def _tip(balls: Sequence[ContactSphere], link: str) -> list[Array]:
    """The centre of the ball of a link that is farthest from the link's joint, if it has balls."""
    own = [ball.centre for ball in balls if ball.link == link]
    return sorted(own, key=lambda centre: float(np.linalg.norm(centre)))[-1:]


def rolling_poses(
    body: Body, wished: Array, balls: Sequence[ContactSphere], told: Mask, rate: float, cyclic: bool
) -> tuple[Array, KeyedPins]:
    """Poses (T, nq) with the pelvis so placed that the lowest balls touch the ground and roll, and pins of those told.

    Of what is told (T, B) to be down, feet lead: they do not slip, and hands that are down as well give way.
    """
    radii = np.array([ball.radius for ball in balls])
    calm = partial(_calm, frames=_CALM * rate, cyclic=cyclic)
    wished = _leaning(wished, calm(_lean(body, wished, balls)))
    places, turns = _kinematics(body, balls).at(wished)
    low = places[..., 2] - radii  # (T, B) m
    lowest = np.exp(-(low - low.min(axis=1, keepdims=True)) / _SOFT)
    feet = np.array([ball.link in {foot.link for foot in body.feet} for ball in balls])
    leading = calm(_shares(_first_of(told & feet, told, lowest)))
    way = np.concatenate([np.zeros((1, len(balls), 2)), np.cumsum(_rolling(turns, radii), axis=0)])
    slip = np.sum((leading[1:] + leading[:-1])[..., None] / 2 * np.diff(places[..., :2] - way, axis=0), axis=1)
    shift = np.zeros((len(wished), 3))
    shift[1:, :2] = -np.cumsum(slip, axis=0)
    shift[:, 2] = -calm(np.sum(_shares(lowest) * low, axis=1))
    qpos = np.array(wished)
    qpos[:, :3] += shift
    points = tuple((ball.link, ball.centre) for ball in balls)
    stay = _rolling_places(places + shift[:, None], way, radii, leading, told)
    return qpos, KeyedPins(points, tuple(ball.link for ball in balls), stay, told)


def _lean(body: Body, wished: Array, balls: Sequence[ContactSphere]) -> Array:
    """(T,) rad to the side, about x, to where the centre of mass is lowest above what the body lies on."""
    places, _ = _kinematics(body, balls).at(wished)
    _, across, up = np.moveaxis(places - centres(body, wished)[:, None], -1, 0)  # (T, B) m
    lean = np.linspace(-_LEAN, _LEAN, 141)[:, None, None]
    depth = np.array([ball.radius for ball in balls]) - across * np.sin(lean) - up * np.cos(lean)  # (141, T, B) m
    height = logsumexp(depth / _SOFT, axis=2)
    return np.asarray(lean[np.argmin(height, axis=0), 0, 0])


def _leaning(wished: Array, lean: Array) -> Array:
    """The poses (T, nq) turned by `lean` (T,) rad about x."""
    out = np.array(wished)
    out[:, 3:7] = quat_multiply(quat_exp(lean[:, None] * (1.0, 0.0, 0.0)), wished[:, 3:7])
    return out


def _first_of(*weights: Array | Mask) -> Array:
    """(T, B) in each frame the first of the weights that are not all 0."""
    out = np.array(weights[-1], float)
    for other in reversed(weights[:-1]):
        out = np.where(other.any(axis=1, keepdims=True), other, out)
    return out


def _rolling_places(places: Array, way: Array, radii: Array, leading: Array, told: Mask) -> Array:
    """(T, B, 3) m: balls that are down roll on from where they are while they lead."""
    out = np.array(places)
    for b in range(len(radii)):
        for start, stop in runs(told[:, b]):
            span = slice(start, stop)
            from_where = np.average(places[span, b, :2] - way[span, b], axis=0, weights=leading[span, b] + _LITTLE)
            out[span, b] = np.append(way[span, b] + from_where, np.full((stop - start, 1), radii[b]), axis=1)
    return out


def _shares(weights: Array) -> Array:
    """(T, B) weights that sum up to 1 in each frame."""
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _calm(values: Array, frames: float, cyclic: bool) -> Array:
    """Values (T, ...) smoothed over some frames; of a cycle, whose last are the first again, across the seam."""
    if not cyclic:
        return np.asarray(gaussian_filter1d(values, frames, axis=0, mode="nearest"))
    lap = gaussian_filter1d(values[:-1], frames, axis=0, mode="wrap")
    return np.concatenate([lap, lap[:1]])


def rolling_supports(
    body: Body, qpos: Array, balls: Sequence[ContactSphere], told: Mask, cyclic: bool
) -> tuple[Support, ...]:
    """The balls that touch the ground, while they do; those of limbs that are ever told (T, B) as told."""
    places, _ = _kinematics(body, balls).at(qpos)
    gap = places[..., 2] - [ball.radius for ball in balls]  # (T, B) m
    links = np.array([ball.link for ball in balls])
    out = []
    for b, (ball, stiff) in enumerate(zip(balls, _stiff(body, balls), strict=True)):
        spoken_of = told[:, links == ball.link].any()
        down = told[:, b] if spoken_of else _touching(gap[:, b], gap[:, stiff].min(axis=1), cyclic)
        if down.any():
            out.append(Support(ball.name, ball.link, ball.centre, readonly(down, bool), ball.radius))
    return tuple(out)


def _touching(gap: Array, lowest: Array, cyclic: bool) -> Mask:
    """(T,) whether a ball bears: near the ground and the lowest of its piece, which cannot roll on two in a row."""
    if cyclic:  # the last frame is the first again: told by what is before and after, as any other
        lap = len(gap) - 1
        thrice = _touching(np.tile(gap[:-1], 3), np.tile(lowest[:-1], 3), False)
        return thrice[lap : 2 * lap + 1]
    near, low = hysteresis(gap, _TOUCHING, _LIFTED), hysteresis(gap - lowest, _LEVEL, 2 * _LEVEL)
    return without_short(near & low, _SHORTEST, _SHORTEST)


def _rolling(turns: Array, radii: Array) -> Array:
    """(T - 1, B, 2) m: how far turning balls (T, B, 4) roll from frame to frame."""
    turn = quat_log(quat_multiply(turns[1:], quat_conjugate(turns[:-1])))  # rad, in the world
    return np.asarray(radii[:, None] * np.stack([turn[..., 1], -turn[..., 0]], axis=-1))


def _kinematics(body: Body, balls: Sequence[ContactSphere]) -> Kinematics:
    return Kinematics(body, [(ball.link, ball.centre) for ball in balls], [ball.link for ball in balls])
