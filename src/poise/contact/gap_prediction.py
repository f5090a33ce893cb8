"""Detect steps so fast that contact rows may predict the final gaps wrongly.

A row predicts its gap from the normal and the curvature of the path at the start of the step. The prediction ignores
that the curvature changes with the velocity, and that the normal of a curved surface turns. Surfaces that are far apart
have no row at all.
"""

import numpy as np

from poise.arrays import Array
from poise.contact.rows import add_point_motion
from poise.dynamics import workspace as at
from poise.kernel import Table, float_matrix, floats, ints, kernel

DOUBT = 3e-3  # Penetration (m) from which a row is doubtful, if the row's prediction error can cause that much
NEAR_SPEED = 20.0  # Closing speed (m/s) beyond which links of one body may meet unseen
ROUND = 0.05  # Radius of curvature (m) assumed for surfaces that are not planes


@kernel
def _body_twists(table: Table, velocity: Array) -> Array:
    """Angular and linear velocity (nbody, 6) of each body, the latter at its tree's centre of mass."""
    last, parent, cdof = ints(table, at.BODY_LAST_DOF), ints(table, at.DOF_PARENT), float_matrix(table, at.CDOF)
    twist = np.zeros((last.shape[0], 6))
    for b in range(last.shape[0]):
        i = last[b]
        while i >= 0:
            for k in range(6):
                twist[b, k] += cdof[i, k] * velocity[i]
            i = parent[i]
    return twist


@kernel
def _vector_length(vector: Array) -> float:
    """Length of the first three components."""
    return float(np.sqrt(vector[0] ** 2 + vector[1] ** 2 + vector[2] ** 2))


@kernel
def _contact_outruns_look_ahead(table: Table, twist: Array, look_ahead: float) -> bool:
    """Whether surfaces further apart than `look_ahead` (m) may meet in the step."""
    h, reach, owner = floats(table, at.SETTINGS)[at.STEP], floats(table, at.GEOM_REACH), ints(table, at.GEOM_BODY)
    tree, centre = ints(table, at.BODY_TREE), float_matrix(table, at.GEOM_XPOS)
    fastest = np.zeros(ints(table, at.TREE_DOF).shape[0] + 1)  # m/s, of each tree; the last entry is for fixed bodies
    moved, unused = np.zeros(3), np.zeros(3)
    for g in range(reach.shape[0]):
        if reach[g] > 0.0:
            moved[:] = 0.0
            add_point_motion(table, twist, owner[g], centre[g], 1.0, moved, unused)
            speed = _vector_length(moved) + reach[g] * _vector_length(twist[owner[g]])
            fastest[tree[owner[g]]] = max(fastest[tree[owner[g]]], speed)
    first = second = 0.0
    for speed in fastest:
        if speed > first:
            first, second = speed, first
        elif speed > second:
            second = speed
    return bool(h * (first + second) > look_ahead)


@kernel
def closing_speeds(table: Table, velocity: Array, pairs: at.Pairs) -> Array:
    """Upper bounds (k,) m/s of the speeds at which geoms of pairs approach, in each other's frame; 0 if far apart."""
    reach, owner, centre = floats(table, at.GEOM_REACH), ints(table, at.GEOM_BODY), float_matrix(table, at.GEOM_XPOS)
    h, twist = floats(table, at.SETTINGS)[at.STEP], _body_twists(table, velocity)
    out, moved, turned, unused = np.zeros(pairs.shape[0]), np.zeros(3), np.zeros(3), np.zeros(3)
    for k in range(pairs.shape[0]):
        a, b = pairs[k, 0], pairs[k, 1]
        near = reach[a] + reach[b] + NEAR_SPEED * h
        x, y, z = centre[b, 0] - centre[a, 0], centre[b, 1] - centre[a, 1], centre[b, 2] - centre[a, 2]
        if x * x + y * y + z * z > near * near:
            continue
        for i in range(3):
            turned[i] = twist[owner[b], i] - twist[owner[a], i]
        spin = _vector_length(turned)
        least = np.inf
        for c in (a, b):
            moved[:] = 0.0
            add_point_motion(table, twist, owner[b], centre[c], 1.0, moved, unused)
            add_point_motion(table, twist, owner[a], centre[c], -1.0, moved, unused)
            least = min(least, _vector_length(moved) + reach[c] * spin)
        out[k] = least
    return out


@kernel
def _may_meet_unseen(table: Table, geom: at.Pairs, pairs: at.Pairs, ahead: Array) -> bool:
    """Whether geoms of `pairs` that are no contact candidates may meet in the step; `ahead` are (k,) m."""
    h = floats(table, at.SETTINGS)[at.STEP]
    reach, centre = floats(table, at.GEOM_REACH), float_matrix(table, at.GEOM_XPOS)
    speed = closing_speeds(table, floats(table, at.VELOCITY), pairs)
    for k in range(pairs.shape[0]):
        a, b = pairs[k, 0], pairs[k, 1]
        if h * speed[k] > max(ahead[k], _vector_length(centre[b] - centre[a]) - reach[a] - reach[b]):
            seen = False
            for c in range(geom.shape[0]):
                seen = seen or (geom[c, 0] == a and geom[c, 1] == b) or (geom[c, 0] == b and geom[c, 1] == a)
            if not seen:
                return True
    return False


@kernel
def may_mispredict_gaps(table: Table, geom: at.Pairs, look_ahead: float, pairs: at.Pairs, ahead: Array) -> bool:
    """Whether rows may mispredict final gaps for VELOCITY; `look_ahead`, `ahead` (k,) m: of bodies, of `pairs`."""
    h, velocity = floats(table, at.SETTINGS)[at.STEP], floats(table, at.VELOCITY)
    twist = _body_twists(table, velocity)
    if _contact_outruns_look_ahead(table, twist, look_ahead) or _may_meet_unseen(table, geom, pairs, ahead):
        return True
    first = _body_twists(table, floats(table, at.QVEL))
    body, other = ints(table, at.CONTACT_BODY), ints(table, at.CONTACT_OTHER)
    point = float_matrix(table, at.CONTACT_POINT)
    jacobian, offset = float_matrix(table, at.CONTACT_JACOBIAN), floats(table, at.CONTACT_OFFSET)
    kind, reach, owner = ints(table, at.CONTACT_KIND), floats(table, at.GEOM_REACH), ints(table, at.GEOM_BODY)
    tree = ints(table, at.BODY_TREE)
    moved, unused, bent = np.zeros(3), np.zeros(3), np.zeros(3)
    for c in range(ints(table, at.COUNTS)[at.CONTACTS]):
        if kind[c] == at.IGNORED:
            continue
        ends = offset[3 * c]
        for i in range(velocity.shape[0]):
            ends += jacobian[3 * c, i] * velocity[i]
        moved[:] = 0.0
        bent[:] = 0.0
        for sign, what in ((1.0, body[c]), (-1.0, other[c])):
            add_point_motion(table, first, what, point[c], -sign, unused, bent)
            add_point_motion(table, twist, what, point[c], sign, moved, bent)
        missed = 0.5 * h * h * _vector_length(bent)
        if reach[geom[c, 0]] > 0.0 and reach[geom[c, 1]] > 0.0:
            speed = _vector_length(moved)
            if tree[body[c]] == tree[other[c]]:  # a common rotation of two links changes nothing
                a, b = geom[c, 0], geom[c, 1]
                speed += min(reach[a], reach[b]) * _vector_length(twist[owner[b]] - twist[owner[a]])
            else:
                for k in range(2):
                    speed += reach[geom[c, k]] * _vector_length(twist[owner[geom[c, k]]])
            missed += (h * speed) ** 2 / (2.0 * ROUND)
        if h * ends - missed < -DOUBT:
            return True
    return False
