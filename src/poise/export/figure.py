"""A figure for GLB and USD files: a clip and a skin for its skeleton.

The skin is rigid: each vertex follows one joint. Only the first performer is exported, without props.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np

from poise.arrays import Array, Ints, readonly
from poise.body.rigging import Rigging, plain_rigging
from poise.errors import PoiseError
from poise.export.clips import WHOLE, ExportPart, Source, performer_clip, rigging_for_export
from poise.export.look import HOUSE_COLOURS, PERFORMER, SHOWN_GROUPS, geom_colours, mesh_arrays
from poise.motion.clip import Clip
from poise.motion.skeleton import Y_UP, Places, Skeleton, skeleton_kinematics
from poise.reference.body_clip import BodyClip
from poise.reference.dynamic import Dynamic
from poise.rotations import matrix_to_quat, quat_conjugate, quat_multiply, quat_rotate, quat_to_matrix

STUB = readonly([0.0, 0.0, 0.1])  # m: the bone drawn for a skeleton in which no joint has a length
SCREEN_GAMMA = 2.2  # Exponent from MuJoCo's screen colours to the linear colours of glTF and USD


@dataclass(frozen=True, eq=False)
class Skin:
    """Triangles in the frames of the joints that carry them."""

    vertices: Array  # (V, 3) m, in the joint's frame
    normals: Array  # (V, 3) unit, in the joint's frame
    joints: Ints  # (V,)
    faces: Ints  # (F, 3)
    colours: Array  # (F, 4) linear red, green, blue, and opacity

    @cached_property
    def palette(self) -> tuple[tuple[Array, Ints], ...]:
        """Each colour (4,) and the indices of its faces."""
        colours, worn = np.unique(self.colours, axis=0, return_inverse=True)
        return tuple((colour, np.flatnonzero(worn.ravel() == k)) for k, colour in enumerate(colours))


@dataclass(frozen=True, eq=False)
class ExportedFigure:
    """A moving skeleton and its skin."""

    clip: Clip
    skin: Skin

    @cached_property
    def bind_pose(self) -> Places:
        """The joints (1, J, ...) in the bind pose of the skin: upright, the root at the origin."""
        skeleton = self.clip.skeleton
        return skeleton_kinematics(skeleton, np.zeros((1, 3)), bind_pose_of_exported_figure(skeleton)[None])

    @cached_property
    def bind_mesh(self) -> tuple[Array, Array]:
        """Vertices (V, 3) in m and normals (V, 3) of the skin in the bind pose."""
        place, turn = self.bind_pose.position[0, self.skin.joints], self.bind_pose.rotation[0, self.skin.joints]
        return place + quat_rotate(turn, self.skin.vertices), quat_rotate(turn, self.skin.normals)


def bind_pose_of_exported_figure(skeleton: Skeleton) -> Array:
    """Local rotations (J, 4) of the upright pose."""
    plain = np.tile([1.0, 0.0, 0.0, 0.0], (skeleton.count, 1))
    return plain if skeleton.upright is None else skeleton.upright


def exported_figure(source: Source, part: ExportPart = WHOLE) -> ExportedFigure:
    """The first performer with the shapes of its body; a clip without a body is drawn as bones."""
    clip = performer_clip(source, part)
    if not clip.frames:
        raise PoiseError(f"clip '{clip.name}' has no frames to write")
    if isinstance(source, Clip):
        return ExportedFigure(clip, bone_skin_of_figure(clip.skeleton))
    if isinstance(source, (BodyClip, Dynamic)):
        body = source.body if isinstance(source, BodyClip) else source.clip.body
        return ExportedFigure(clip, geom_skin_of_figure(body.model, 1, body.rigging or plain_rigging(body.model, 1)))
    return ExportedFigure(clip, geom_skin_of_figure(source.model, source.root, rigging_for_export(source)))


def bone_skin_of_figure(skeleton: Skeleton) -> Skin:
    """An octahedron from each joint to each of its children and end sites."""
    arms = [(parent, skeleton.offsets[joint]) for joint, parent in enumerate(skeleton.parents) if parent >= 0]
    arms += [(end.joint, end.offset) for end in skeleton.ends]
    long = [(joint, arm) for joint, arm in arms if np.linalg.norm(arm) > 1e-6] or [(0, STUB)]
    return _join_skin([(joint, bone_mesh(arm), HOUSE_COLOURS[PERFORMER]) for joint, arm in long])


def geom_skin_of_figure(model: mujoco.MjModel, root: int, rigging: Rigging) -> Skin:
    """The visible geoms of the kinematic tree of body `root`, or bones if the tree has no such geoms."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    rest = rigging.clip(model, model.qpos0[None], 1.0, "").places
    colours, carriers = geom_colours(model), _figure_joints_of_links(model, rigging)
    shown = (model.geom_group < np.count_nonzero(SHOWN_GROUPS)) & (colours[:, 3] > 0)
    own = model.body_rootid[model.geom_bodyid] == model.body_rootid[root]
    parts = []
    for geom in np.flatnonzero(shown & own):
        solid, joint = geom_mesh(model, int(geom)), carriers[model.geom_bodyid[geom]]
        if solid is not None:
            back = quat_conjugate(rest.rotation[0, joint])
            place = quat_rotate(back, data.geom_xpos[geom] - rest.position[0, joint])
            turn = quat_multiply(back, matrix_to_quat(data.geom_xmat[geom].reshape(3, 3)))
            parts.append((joint, solid.transformed(place, turn), colours[geom]))
    return _join_skin(parts) if parts else bone_skin_of_figure(rigging.skeleton)


def _figure_joints_of_links(model: mujoco.MjModel, rigging: Rigging) -> dict[int, int]:
    """The joint that moves with each link: the first joint on the link, else the joint of its parent."""
    first = {link: joint for joint, link in reversed(list(enumerate(rigging.links)))}
    out = {0: 0}
    for body in range(1, model.nbody):
        out[body] = first.get(model.body(body).name, out[int(model.body_parentid[body])])
    return out


def _join_skin(parts: "Sequence[tuple[int, TriangleMesh, Array]]") -> Skin:
    """Join parts into one skin; each is a joint, a shape in its frame, and a screen colour."""
    joints, solids, colours = zip(*parts, strict=True)
    sizes = [len(solid.vertices) for solid in solids]
    starts = np.cumsum([0, *sizes[:-1]])
    linear = np.array(colours) ** [SCREEN_GAMMA, SCREEN_GAMMA, SCREEN_GAMMA, 1.0]
    return Skin(
        readonly(np.concatenate([solid.vertices for solid in solids])),
        readonly(np.concatenate([solid.normals for solid in solids])),
        readonly(np.repeat(joints, sizes), int),
        readonly(np.concatenate([solid.faces + start for solid, start in zip(solids, starts, strict=True)]), int),
        readonly(np.repeat(linear, [len(solid.faces) for solid in solids], axis=0)),
    )


# Axes of glTF and of the USD files: y up, the figure faces +z, +x is its left


def y_up_vectors(ours: Array) -> Array:
    """Convert vectors (..., 3)."""
    return np.asarray(ours @ Y_UP)


def y_up_quats(ours: Array) -> Array:
    """Convert quaternions (..., 4) and reorder them to x y z w, as both formats store them."""
    return np.concatenate([y_up_vectors(ours[..., 1:]), ours[..., :1]], axis=-1)


def y_up_matrices(position: Array, rotation: Array) -> Array:
    """Convert frames to matrices (n, 4, 4) for row vectors, as both formats store them: the last row translates."""
    out = np.zeros((len(position), 4, 4))
    out[:, :3, :3] = np.swapaxes(Y_UP.T @ quat_to_matrix(rotation) @ Y_UP, 1, 2)
    out[:, 3, :3], out[:, 3, 3] = y_up_vectors(position), 1.0
    return out


# Triangle meshes of the shapes of bodies

SEGMENTS = 20  # around the axis of a round shape
RINGS = 5  # from the equator of a sphere to its pole


@dataclass(frozen=True, eq=False)
class TriangleMesh:
    """A closed surface; a corner has one vertex for each normal there."""

    vertices: Array  # (V, 3) m
    normals: Array  # (V, 3) unit, outwards
    faces: Ints  # (F, 3) anticlockwise from outside

    def transformed(self, position: Array, rotation: Array) -> "TriangleMesh":
        """The surface rotated by a quaternion, then translated."""
        vertices = quat_rotate(rotation, self.vertices) + position
        return TriangleMesh(readonly(vertices), readonly(quat_rotate(rotation, self.normals)), self.faces)


def geom_mesh(model: mujoco.MjModel, geom: int) -> TriangleMesh | None:
    """The mesh of a geom in its own frame; None for planes and height fields, which are not part of bodies."""
    size = model.geom_size[geom]
    match model.geom_type[geom]:
        case mujoco.mjtGeom.mjGEOM_SPHERE:
            return capsule_mesh(size[0], 0.0)
        case mujoco.mjtGeom.mjGEOM_CAPSULE:
            return capsule_mesh(size[0], size[1])
        case mujoco.mjtGeom.mjGEOM_CYLINDER:
            return cylinder_mesh(size[0], size[1])
        case mujoco.mjtGeom.mjGEOM_ELLIPSOID:
            return ellipsoid_mesh(size)
        case mujoco.mjtGeom.mjGEOM_BOX:
            return box_mesh(size)
        case mujoco.mjtGeom.mjGEOM_MESH:
            vertices, faces = mesh_arrays(model, int(model.geom_dataid[geom]))
            return flat_shaded_mesh(vertices.astype(float), faces)
        case _:
            return None


def capsule_mesh(radius: float, half: float) -> TriangleMesh:
    """A capsule along z; a sphere if the half length `half` (m) is 0."""
    angle = np.linspace(0, np.pi / 2, RINGS + 1)
    upper = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    upper[-1, 0] = 0.0  # the pole lies exactly on the axis
    lower = upper[::-1] * [1.0, -1.0]
    outline = np.concatenate([radius * lower - [0.0, half], radius * upper + [0.0, half]])
    return _revolution_mesh(outline, np.concatenate([lower, upper]))


def cylinder_mesh(radius: float, half: float) -> TriangleMesh:
    """A cylinder along z of half length `half` (m)."""
    outline = np.array([[0, -half], [radius, -half], [radius, -half], [radius, half], [radius, half], [0, half]])
    return _revolution_mesh(outline, np.repeat([[0.0, -1.0], [1.0, 0.0], [0.0, 1.0]], 2, axis=0))


def ellipsoid_mesh(radii: Array) -> TriangleMesh:
    """An ellipsoid with radii (3,) m along x, y and z."""
    ball = capsule_mesh(1.0, 0.0)
    across = ball.normals / radii
    unit = across / np.linalg.norm(across, axis=1, keepdims=True)
    return TriangleMesh(readonly(ball.vertices * radii), readonly(unit), ball.faces)


def box_mesh(half: Array) -> TriangleMesh:
    """A box with half sides (3,) m along x, y and z."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    quads = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    return flat_shaded_mesh(corners, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]))


def bone_mesh(tip: Array) -> TriangleMesh:
    """The octahedron with which animation tools draw a bone, from the origin to `tip` (3,) m."""
    length = np.linalg.norm(tip)
    along = tip / length
    side = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    side /= np.linalg.norm(side)
    width = 0.1 * length * np.array([side, np.cross(along, side), -side, -np.cross(along, side)])
    corners = np.concatenate([[np.zeros(3)], 0.1 * tip + width, [tip]])
    belt = [(1, 2), (2, 3), (3, 4), (4, 1)]
    return flat_shaded_mesh(corners, np.array([[0, b, a] for a, b in belt] + [[a, b, 5] for a, b in belt]))


def flat_shaded_mesh(corners: Array, faces: Ints) -> TriangleMesh:
    """Flat triangles that share no vertices; degenerate ones are dropped."""
    triangles = corners[faces]  # (F, 3, 3)
    across = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    area = np.linalg.norm(across, axis=1)
    triangles, across = triangles[area > 0], across[area > 0] / area[area > 0, None]
    own = readonly(np.arange(3 * len(triangles)).reshape(-1, 3), int)
    return TriangleMesh(readonly(triangles.reshape(-1, 3)), readonly(np.repeat(across, 3, axis=0)), own)


def _revolution_mesh(outline: Array, normals: Array) -> TriangleMesh:
    """The surface of revolution of an outline (n, 2), from below: distance from the z axis and height, m."""
    angle = 2 * np.pi * np.arange(SEGMENTS) / SEGMENTS
    around = np.stack([np.cos(angle), np.sin(angle)], axis=1)

    def swept(curve: Array) -> Array:
        flat = curve[:, None, :1] * around
        return np.concatenate([flat, np.repeat(curve[:, None, 1:], SEGMENTS, axis=1)], axis=2).reshape(-1, 3)

    ring, side = np.meshgrid(np.arange(len(outline) - 1), np.arange(SEGMENTS), indexing="ij")
    here, beside = ring * SEGMENTS + side, ring * SEGMENTS + (side + 1) % SEGMENTS
    quads = np.stack([here, beside, beside + SEGMENTS, here + SEGMENTS], axis=-1).reshape(-1, 4)
    faces = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    return _drop_thin_triangles(swept(outline), swept(normals), faces)


def _drop_thin_triangles(vertices: Array, normals: Array, faces: Ints) -> TriangleMesh:
    """Drop triangles without area, then unused vertices."""
    a, b, c = vertices[faces].swapaxes(0, 1)
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    kept, faces = np.unique(faces[area > 1e-9 * area.max()], return_inverse=True)
    return TriangleMesh(readonly(vertices[kept]), readonly(normals[kept]), readonly(faces.reshape(-1, 3), int))
