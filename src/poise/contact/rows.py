"""Contact rows: their Jacobians and constant terms.

Each pair of surface points has the velocity Jacobian J along n, t1, t2 and an offset per row, so that J v+ + offset is
the mean speed at which the points separate in the step. The offset contains the gap and the curvature of the paths,
(h/2)(dJ/dt v + a), where `a` is the acceleration by which the momentum-exact position update shifts a floating tree.
Without the curvature, planted feet sink about a millimetre a step.
"""

import numpy as np

from poise.arrays import Array
from poise.dynamics import workspace as at
from poise.kernel import Table, float_matrix, floats, ints, kernel

FASTEST_RECOVERY = 1.0  # Highest speed (m/s) at which overlapping surfaces separate
OWN_RECOVERY = 3.0
"""Factor on the recovery of links of one body. The closest points of crossed limbs run along the limbs, which rows do
not foresee: limbs that press each other sink by up to a millimetre a step."""


@kernel
def write_com_drift(table: Table) -> None:
    """Write the velocity-dependent acceleration dJ_com/dt v of each tree's centre of mass (DRIFT)."""
    bias, gravity, out = floats(table, at.BIAS), floats(table, at.GRAVITY), float_matrix(table, at.DRIFT)
    tree_dof, mass = ints(table, at.TREE_DOF), floats(table, at.TREE_MASS)
    for t in range(tree_dof.shape[0]):
        for i in range(3):
            out[t, i] = bias[tree_dof[t] + i] / mass[t] + gravity[i]


@kernel
def add_point_rows(
    table: Table, sign: float, body: int, moving: bool, point: Array, axes: Array, rows: int,
    jacobian: Array, curve: Array,
) -> None:  # fmt: skip
    """Add sign times the Jacobian rows of a body's point along `axes`, and dJ/dt v + a along them to `curve`.

    Pass `moving` False for a point that will be at rest at the end of the step. It then has no omega x velocity term,
    which keeps the sticking points of one body consistent, so that their forces do not oppose each other.
    """
    i = ints(table, at.BODY_LAST_DOF)[body]
    if i < 0:
        return
    parent, cdof, cdof_dot = ints(table, at.DOF_PARENT), float_matrix(table, at.CDOF), float_matrix(table, at.CDOF_DOT)
    qvel = floats(table, at.QVEL)
    origin = float_matrix(table, at.SUBTREE_COM)[ints(table, at.BODY_ROOT)[body]]
    rx, ry, rz = point[0] - origin[0], point[1] - origin[1], point[2] - origin[2]
    ax = ay = az = lx = ly = lz = 0.0
    while i >= 0:
        wx, wy, wz = cdof[i, 0], cdof[i, 1], cdof[i, 2]
        vx = cdof[i, 3] + wy * rz - wz * ry
        vy = cdof[i, 4] + wz * rx - wx * rz
        vz = cdof[i, 5] + wx * ry - wy * rx
        for k in range(rows):
            jacobian[k, i] += sign * (axes[3 * k] * vx + axes[3 * k + 1] * vy + axes[3 * k + 2] * vz)
        speed = qvel[i]
        ax += cdof_dot[i, 0] * speed
        ay += cdof_dot[i, 1] * speed
        az += cdof_dot[i, 2] * speed
        lx += cdof_dot[i, 3] * speed
        ly += cdof_dot[i, 4] * speed
        lz += cdof_dot[i, 5] * speed
        i = parent[i]
    px = lx + ay * rz - az * ry
    py = ly + az * rx - ax * rz
    pz = lz + ax * ry - ay * rx
    if moving:
        # Spatial acceleration to material acceleration: add omega x velocity.
        cvel = float_matrix(table, at.CVEL)[body]
        ox, oy, oz = cvel[0], cvel[1], cvel[2]
        ux = cvel[3] + oy * rz - oz * ry
        uy = cvel[4] + oz * rx - ox * rz
        uz = cvel[5] + ox * ry - oy * rx
        px += oy * uz - oz * uy
        py += oz * ux - ox * uz
        pz += ox * uy - oy * ux
    tree = ints(table, at.BODY_TREE)[body]
    if tree >= 0:
        shift = float_matrix(table, at.DRIFT)[tree]
        px += shift[0]
        py += shift[1]
        pz += shift[2]
    for k in range(rows):
        curve[k] += sign * (axes[3 * k] * px + axes[3 * k + 1] * py + axes[3 * k + 2] * pz)


@kernel
def _curvature_radius(table: Table, geom: int, normal: Array) -> float:
    """Distance (m) from a geom's surface point to its centre of curvature, for a normal there."""
    radius = floats(table, at.GEOM_RADIUS)[geom]
    if radius >= 0.0:
        return float(radius)
    turn = float_matrix(table, at.GEOM_XMAT)[geom]
    along = turn[2] * normal[0] + turn[5] * normal[1] + turn[8] * normal[2]
    return float(-radius) if abs(along) < 0.1 else 0.0


@kernel
def _write_contact_curvature(
    table: Table, c: int, geom: at.Pairs, moving: bool, rows: int, jacobian: Array, curve: Array
) -> None:
    """Add a contact's Jacobian rows, and write (h/2)(dJ/dt v + a) along them into `curve`.

    The normal row follows the centres of curvature. The contact point of a rolling ball changes all the time: the path
    of a material point has a cusp there, the gap does not. The tangent rows follow the material point.
    """
    half_step = 0.5 * floats(table, at.SETTINGS)[at.STEP]
    body, other = ints(table, at.CONTACT_BODY)[c], ints(table, at.CONTACT_OTHER)[c]
    axes, point = float_matrix(table, at.CONTACT_AXES)[c], float_matrix(table, at.CONTACT_POINT)[c]
    gap = floats(table, at.CONTACT_GAP)[c]
    own, its = (geom[c, 1], geom[c, 0]) if ints(table, at.GEOM_BODY)[geom[c, 1]] == body else (geom[c, 0], geom[c, 1])
    centre = np.empty(3)
    curve[:] = 0.0
    for sign, what, shape in ((1.0, body, own), (-1.0, other, its)):
        # MuJoCo's contact point lies midway between the surfaces.
        back = sign * (_curvature_radius(table, shape, axes) + 0.5 * gap)
        for k in range(3):
            centre[k] = point[k] + back * axes[k]
        add_point_rows(table, sign, what, True, centre, axes, 1, jacobian, curve)
        if rows == 3:
            add_point_rows(table, sign, what, moving, point, axes[3:], 2, jacobian[1:], curve[1:])
    for k in range(3):
        curve[k] *= half_step


@kernel
def _approach_speed(table: Table, c: int) -> float:
    """Highest speed (m/s) at which the surfaces of a contact may approach; negative if they overlap, to separate."""
    settings, tree = floats(table, at.SETTINGS), ints(table, at.BODY_TREE)
    gap = floats(table, at.CONTACT_GAP)[c]
    if gap > 0.0:
        return float(gap / settings[at.STEP])
    own = tree[ints(table, at.CONTACT_BODY)[c]] == tree[ints(table, at.CONTACT_OTHER)[c]]
    recovery = min((OWN_RECOVERY if own else 1.0) * settings[at.RECOVERY], 1.0 / settings[at.STEP])
    return float(max(recovery * gap, -FASTEST_RECOVERY))


@kernel
def add_point_motion(
    table: Table, twist: Array, body: int, point: Array, sign: float, moved: Array, bent: Array
) -> None:
    """Add sign times the velocity u of a body's point to `moved`, and sign times omega x u to `bent`."""
    origin = float_matrix(table, at.SUBTREE_COM)[ints(table, at.BODY_ROOT)[body]]
    rx, ry, rz = point[0] - origin[0], point[1] - origin[1], point[2] - origin[2]
    wx, wy, wz = twist[body, 0], twist[body, 1], twist[body, 2]
    ux = twist[body, 3] + wy * rz - wz * ry
    uy = twist[body, 4] + wz * rx - wx * rz
    uz = twist[body, 5] + wx * ry - wy * rx
    moved[0] += sign * ux
    moved[1] += sign * uy
    moved[2] += sign * uz
    bent[0] += sign * (wy * uz - wz * uy)
    bent[1] += sign * (wz * ux - wx * uz)
    bent[2] += sign * (wx * uy - wy * ux)


@kernel
def _align_tangents_to_slip(axes: Array, slip: Array, h: float, gravity: Array) -> None:
    """Turn t1 along the slip plus h gravity in the tangent plane: the frame to which a controller's feedback refers."""
    nx, ny, nz = axes[0], axes[1], axes[2]
    ux, uy, uz = slip[0] + h * gravity[0], slip[1] + h * gravity[1], slip[2] + h * gravity[2]
    along = nx * ux + ny * uy + nz * uz
    ux, uy, uz = ux - along * nx, uy - along * ny, uz - along * nz
    size = np.sqrt(ux * ux + uy * uy + uz * uz)
    if size < 1e-3:  # m/s: at rest on level ground the given tangents stay
        return
    ux, uy, uz = ux / size, uy / size, uz / size
    axes[3], axes[4], axes[5] = ux, uy, uz
    axes[6], axes[7], axes[8] = ny * uz - nz * uy, nz * ux - nx * uz, nx * uy - ny * ux


@kernel
def write_contact_rows(
    table: Table, position: Array, frame: Array, distance: Array, geom: at.Pairs, friction: Array
) -> None:
    """Write rows for MuJoCo's contacts. The force acts on CONTACT_BODY; the normal points out of CONTACT_OTHER."""
    settings, gravity = floats(table, at.SETTINGS), floats(table, at.GRAVITY)
    h, near = settings[at.STEP], settings[at.TOUCH]
    geom_body, last_dof = ints(table, at.GEOM_BODY), ints(table, at.BODY_LAST_DOF)
    body, other, kind = ints(table, at.CONTACT_BODY), ints(table, at.CONTACT_OTHER), ints(table, at.CONTACT_KIND)
    point, axes = float_matrix(table, at.CONTACT_POINT), float_matrix(table, at.CONTACT_AXES)
    gap, mu = floats(table, at.CONTACT_GAP), floats(table, at.CONTACT_FRICTION)
    jacobian, offset = float_matrix(table, at.CONTACT_JACOBIAN), floats(table, at.CONTACT_OFFSET)
    slip, unused = np.empty(3), np.zeros(3)
    count = position.shape[0]
    ints(table, at.COUNTS)[at.CONTACTS] = count
    for c in range(count):
        first, second = geom_body[geom[c, 0]], geom_body[geom[c, 1]]
        # MuJoCo's normal points from the first to the second body; a fixed body must be `other`.
        flip = -1.0 if last_dof[second] < 0 else 1.0
        body[c], other[c] = (first, second) if flip < 0 else (second, first)
        gap[c], mu[c] = distance[c], friction[c, 0]
        kind[c] = at.TOUCHED if gap[c] <= near else (at.CLOSING if gap[c] <= 4.0 * near else at.FAR)  # likely to close
        for k in range(3):
            point[c, k] = position[c, k]
            axes[c, k] = flip * frame[c, k]
            axes[c, 3 + k] = frame[c, 3 + k]
            axes[c, 6 + k] = flip * frame[c, 6 + k]
        rows = 1
        if kind[c] == at.TOUCHED:
            rows = 3
            slip[:] = 0.0
            for sign, what in ((1.0, body[c]), (-1.0, other[c])):
                add_point_motion(table, float_matrix(table, at.CVEL), what, point[c], sign, slip, unused)
            _align_tangents_to_slip(axes[c], slip, h, gravity)
        own, curve = jacobian[3 * c : 3 * c + 3], offset[3 * c : 3 * c + 3]
        own[:] = 0.0
        _write_contact_curvature(table, c, geom, False, rows, own, curve)
        curve[0] += _approach_speed(table, c)


@kernel
def turn_tangents_to_slip(table: Table) -> None:
    """Turn tangents of touching contacts along their slip in the free motion, so that full friction opposes it."""
    kind, free = ints(table, at.CONTACT_KIND), floats(table, at.FREE)
    jacobian, offset = float_matrix(table, at.CONTACT_JACOBIAN), floats(table, at.CONTACT_OFFSET)
    axes = float_matrix(table, at.CONTACT_AXES)
    for c in range(ints(table, at.COUNTS)[at.CONTACTS]):
        if kind[c] != at.TOUCHED:
            continue
        a, b = 3 * c + 1, 3 * c + 2
        u, v = offset[a], offset[b]
        for i in range(free.shape[0]):
            u += jacobian[a, i] * free[i]
            v += jacobian[b, i] * free[i]
        size = np.sqrt(u * u + v * v)
        if size < 1e-6:
            continue
        cosine, sine = u / size, v / size
        for i in range(free.shape[0]):
            p, q = jacobian[a, i], jacobian[b, i]
            jacobian[a, i], jacobian[b, i] = cosine * p + sine * q, cosine * q - sine * p
        offset[a], offset[b] = cosine * offset[a] + sine * offset[b], cosine * offset[b] - sine * offset[a]
        for k in range(3):
            p, q = axes[c, 3 + k], axes[c, 6 + k]
            axes[c, 3 + k], axes[c, 6 + k] = cosine * p + sine * q, cosine * q - sine * p


@kernel
def impact_speed(table: Table, assumed: Array) -> float:
    """Largest difference (m/s) of solved (VELOCITY) and assumed (nv,) velocity at contact points that carry force."""
    velocity = floats(table, at.VELOCITY)
    jacobian, impulse = float_matrix(table, at.CONTACT_JACOBIAN), floats(table, at.CONTACT_IMPULSE)
    largest = 0.0
    for c in range(ints(table, at.COUNTS)[at.CONTACTS]):
        if impulse[3 * c] <= 0.0:
            continue
        for row in range(3 * c, 3 * c + 3):
            change = 0.0
            for i in range(velocity.shape[0]):
                change += jacobian[row, i] * (velocity[i] - assumed[i])
            largest = max(largest, abs(change))
    return largest


@kernel
def update_contact_curvature(table: Table, geom: at.Pairs, bias_after: Array) -> None:
    """Recompute the contact offsets for paths with the velocity v+ at the end of the step.

    Expects QVEL, CVEL, CDOF_DOT and `bias_after` of v+, and DRIFT of the initial velocity v. The centre of mass is
    shifted by h^2 (a(v) - a(v+)/2), which is the usual h^2 a/2 when the velocity hardly changes.
    """
    gravity = floats(table, at.GRAVITY)
    drifted, tree_dof, mass = float_matrix(table, at.DRIFT), ints(table, at.TREE_DOF), floats(table, at.TREE_MASS)
    for t in range(tree_dof.shape[0]):
        for i in range(3):
            drifted[t, i] = 2.0 * drifted[t, i] - (bias_after[tree_dof[t] + i] / mass[t] + gravity[i])
    kind, offset = ints(table, at.CONTACT_KIND), floats(table, at.CONTACT_OFFSET)
    unused = np.zeros((3, floats(table, at.QVEL).shape[0]))
    for c in range(ints(table, at.COUNTS)[at.CONTACTS]):
        rows = 3 if kind[c] == at.TOUCHED else 1
        curve = offset[3 * c : 3 * c + 3]
        before = curve[0]
        _write_contact_curvature(table, c, geom, True, rows, unused, curve)
        # The path of a light limb that arrives may be strongly curved: use the path that comes nearer, the old or the
        # new. Surfaces that touch follow the new one; the old one could throw them apart.
        reached = curve[0] + _approach_speed(table, c)
        curve[0] = reached if kind[c] == at.TOUCHED else min(before, reached)
