"""Pelvis trajectory of keyed motions that roll: the lowest parts touch the ground and roll without slip.

Limbs and trunk touch the ground with the round ends of their shapes, called balls. The body leans sideways to where its
centre of mass is lowest. The pelvis is so high that the lowest balls touch the ground, and travels so that these balls
roll. Parts that the source declares down are brought to the ground and roll even if they are not lowest.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
from scipy.ndimage import gaussian_filter1d
from scipy.special import logsumexp

from poise.arrays import Array, Mask, drop_short_runs, hysteresis_mask, readonly, true_runs
from poise.body.body import Body
from poise.body.link_kinematics import LinkKinematics
from poise.body.surface import ContactSphere, contact_parts, contact_spheres_of_body
from poise.library.authoring.prints import KeyedSourcePins
from poise.reference.body_clip import centres_of_mass
from poise.reference.supports import Support, bearing_supports_of_reference, spheres_of_reference_part
from poise.rotations import quat_conjugate, quat_exp, quat_log, quat_multiply

_SOFT = 0.004  # m, height above the lowest ball at which a ball's share of the load falls by a factor of e
_LEAN = 0.35  # rad, largest sideways lean
_CALM = 0.03  # s, standard deviation of the smoothing by which load moves from ball to ball
_TOUCHING, _LIFTED = 0.006, 0.012  # m above the ground: contact begins below the first and ends above the second
_LEVEL = 0.0005  # m, largest height difference of balls of one rigid piece that roll together
_SHORTEST = 3  # frames, shortest contact and shortest gap
_SAME_JOINT = 0.005  # m, largest distance of ends of neighbouring links that meet in a joint
_LITTLE = 1e-6  # weight that decides only where all other weights are 0


def outer_balls_of_roll_source(body: Body) -> tuple[ContactSphere, ...]:
    """The balls of a body, without balls that are inside a larger ball around the same joint."""
    balls = contact_spheres_of_body(body)
    hidden = np.asarray(_inner_balls_of_roll_source(body, balls).any(axis=1))
    return tuple(ball for ball, inner in zip(balls, hidden, strict=True) if not inner)


def _inner_balls_of_roll_source(body: Body, balls: Sequence[ContactSphere]) -> Mask:
    """(B, B) whether the first ball is inside the second ball around the same joint."""
    places, _ = _ball_kinematics_of_roll_source(body, balls).at(body.standing[None])
    radii = np.array([ball.radius for ball in balls])
    apart = np.linalg.norm(places[0, :, None] - places[0], axis=-1)
    return np.asarray((apart < _SAME_JOINT) & (radii[:, None] < radii))


def _rigidly_joined_balls_of_roll_source(body: Body, balls: Sequence[ContactSphere]) -> Mask:
    """(B, B) whether the second ball moves rigidly with the first: same rigid piece, or around a joint of the piece."""
    every = contact_spheres_of_body(body)
    number = {ball.name: k for k, ball in enumerate(every)}
    piece = body.model.body_weldid[[body.link_id(ball.link) for ball in every]]
    same = piece[:, None] == piece
    with_inner = same @ _inner_balls_of_roll_source(body, every)  # the first's own link has a ball inside the second
    chosen = [number[ball.name] for ball in balls]
    return np.asarray((same | with_inner)[np.ix_(chosen, chosen)])


def balls_declared_by_source(body: Body, balls: Sequence[ContactSphere], parts: Mask) -> Mask:
    """(T, B) whether each ball is down because the source declares its part down in `parts` (T, P)."""
    prescribed = np.zeros((len(parts), len(balls)), bool)
    known = contact_parts(body)
    for part, down in zip(known, bearing_supports_of_reference(known, parts).T, strict=True):
        centres = [centre for centre, radius in spheres_of_reference_part(body, part, tuple(balls)) if radius]
        if not centres:  # the ball of the link that is farthest from the link's joint
            own = [ball.centre for ball in balls if ball.link == part.link]
            centres = sorted(own, key=lambda centre: float(np.linalg.norm(centre)))[-1:]
        for b, ball in enumerate(balls):
            if ball.link == part.link and any(np.array_equal(ball.centre, centre) for centre in centres):
                prescribed[:, b] |= down
    return prescribed


def poses_of_roll_source(
    body: Body, desired: Array, balls: Sequence[ContactSphere], prescribed: Mask, rate: float, cyclic: bool
) -> tuple[Array, KeyedSourcePins]:
    """Place the pelvis so that the lowest balls touch the ground and roll; return poses (T, nq) and pins.

    The pins hold the `prescribed` balls (T, B). Balls of feet do not slip; hands that are down at the same time follow
    the motion of the feet.
    """
    radii = np.array([ball.radius for ball in balls])
    calm = partial(_smoothed_over_frames, frames=_CALM * rate, cyclic=cyclic)
    lean, desired = calm(_lean_of_roll_source(body, desired, balls)), np.array(desired)
    desired[:, 3:7] = quat_multiply(quat_exp(lean[:, None] * (1.0, 0.0, 0.0)), desired[:, 3:7])
    places, turns = _ball_kinematics_of_roll_source(body, balls).at(desired)
    low = places[..., 2] - radii  # (T, B) m
    lowest = np.exp(-(low - low.min(axis=1, keepdims=True)) / _SOFT)
    feet = np.array([ball.link in {foot.link for foot in body.feet} for ball in balls])
    leading = calm(_load_shares(_first_nonzero_weights(prescribed & feet, prescribed, lowest)))
    turn = quat_log(quat_multiply(turns[1:], quat_conjugate(turns[:-1])))  # (T - 1, B, 3) rad, in the world
    rolled = radii[:, None] * np.stack([turn[..., 1], -turn[..., 0]], axis=-1)  # (T - 1, B, 2) m, from frame to frame
    way = np.concatenate([np.zeros((1, len(balls), 2)), np.cumsum(rolled, axis=0)])
    slip = np.sum((leading[1:] + leading[:-1])[..., None] / 2 * np.diff(places[..., :2] - way, axis=0), axis=1)
    shift = np.zeros((len(desired), 3))
    shift[1:, :2] = -np.cumsum(slip, axis=0)
    shift[:, 2] = -calm(np.sum(_load_shares(lowest) * low, axis=1))
    qpos = np.array(desired)
    qpos[:, :3] += shift
    points = tuple((ball.link, ball.centre) for ball in balls)
    stay = _ball_places_of_roll_source(places + shift[:, None], way, radii, leading, prescribed)
    return qpos, KeyedSourcePins(points, tuple(ball.link for ball in balls), stay, prescribed)


def _lean_of_roll_source(body: Body, desired: Array, balls: Sequence[ContactSphere]) -> Array:
    """(T,) rad: sideways lean about x at which the centre of mass is lowest above the supporting balls."""
    places, _ = _ball_kinematics_of_roll_source(body, balls).at(desired)
    _, across, up = np.moveaxis(places - centres_of_mass(body, desired)[:, None], -1, 0)  # (T, B) m
    lean = np.linspace(-_LEAN, _LEAN, 141)[:, None, None]
    depth = np.array([ball.radius for ball in balls]) - across * np.sin(lean) - up * np.cos(lean)  # (141, T, B) m
    height = logsumexp(depth / _SOFT, axis=2)
    return np.asarray(lean[np.argmin(height, axis=0), 0, 0])


def _first_nonzero_weights(*weights: Array | Mask) -> Array:
    """(T, B) in each frame, the weights of the first of several tables (T, B) whose weights are not all 0."""
    out = np.array(weights[-1], float)
    for other in reversed(weights[:-1]):
        out = np.where(other.any(axis=1, keepdims=True), other, out)
    return out


def _ball_places_of_roll_source(places: Array, way: Array, radii: Array, leading: Array, prescribed: Mask) -> Array:
    """(T, B, 3) m: positions of the balls. Prescribed balls roll on the ground along `way`, fitted where they lead."""
    out = np.array(places)
    for b in range(len(radii)):
        for start, stop in true_runs(prescribed[:, b]):
            span = slice(start, stop)
            from_where = np.average(places[span, b, :2] - way[span, b], axis=0, weights=leading[span, b] + _LITTLE)
            out[span, b] = np.append(way[span, b] + from_where, np.full((stop - start, 1), radii[b]), axis=1)
    return out


def _load_shares(weights: Array) -> Array:
    """Divide weights (T, B) by their sum in each frame."""
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _smoothed_over_frames(values: Array, frames: float, cyclic: bool) -> Array:
    """Smooth values (T, ...) along T with a standard deviation of `frames`; if cyclic, across the cycle's seam."""
    if not cyclic:
        return np.asarray(gaussian_filter1d(values, frames, axis=0, mode="nearest"))
    lap = gaussian_filter1d(values[:-1], frames, axis=0, mode="wrap")
    return np.concatenate([lap, lap[:1]])


def supports_of_roll_source(
    body: Body, qpos: Array, balls: Sequence[ContactSphere], prescribed: Mask, cyclic: bool
) -> tuple[Support, ...]:
    """Return the balls that touch the ground as supports. A link with `prescribed` balls (T, B) has no others."""
    places, _ = _ball_kinematics_of_roll_source(body, balls).at(qpos)
    gap = places[..., 2] - [ball.radius for ball in balls]  # (T, B) m
    links = np.array([ball.link for ball in balls])
    out = []
    for b, (ball, stiff) in enumerate(zip(balls, _rigidly_joined_balls_of_roll_source(body, balls), strict=True)):
        down = prescribed[:, b]
        if not prescribed[:, links == ball.link].any():
            down = _ball_contact_of_roll_source(gap[:, b], gap[:, stiff].min(axis=1), cyclic)
        if down.any():
            out.append(Support(ball.name, ball.link, ball.centre, readonly(down, bool), ball.radius))
    return tuple(out)


def _ball_contact_of_roll_source(gap: Array, lowest: Array, cyclic: bool) -> Mask:
    """(T,) whether a ball touches the ground: `gap` (m) is small, and about `lowest`, the least of its rigid piece."""
    if cyclic:  # the last frame repeats the first: repeat the cycle so that both see their neighbours
        lap = len(gap) - 1
        thrice = _ball_contact_of_roll_source(np.tile(gap[:-1], 3), np.tile(lowest[:-1], 3), False)
        return thrice[lap : 2 * lap + 1]
    near, low = hysteresis_mask(gap, _TOUCHING, _LIFTED), hysteresis_mask(gap - lowest, _LEVEL, 2 * _LEVEL)
    return drop_short_runs(near & low, _SHORTEST, _SHORTEST)


def _ball_kinematics_of_roll_source(body: Body, balls: Sequence[ContactSphere]) -> LinkKinematics:
    return LinkKinematics(body, [(ball.link, ball.centre) for ball in balls], [ball.link for ball in balls])
