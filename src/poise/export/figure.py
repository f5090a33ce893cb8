"""A figure: a clip, and a skin for its skeleton; what GLB and USD files are made of.

The skin is rigid: each vertex is carried by one joint. Props and further performers have none and are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np

from poise.body.rigging import Rigging, plain_rigging
from poise.errors import PoiseError
from poise.export.clips import Source, clip_of, rigging_of
from poise.export.look import HOUSE_COLOURS, PERFORMER, SHOWN_GROUPS, geom_colours
from poise.export.solids import Solid, bone, geom_solid
from poise.frozen import Array, Ints, readonly
from poise.motion import Clip, Skeleton
from poise.motion.kinematics import Places, forward
from poise.reference.bodyclip import BodyClip
from poise.reference.dynamic import Dynamic
from poise.spatial import matrix_to_quat, quat_conjugate, quat_multiply, quat_rotate

STUB = readonly([0.0, 0.0, 0.1])
"""m: what is drawn of a skeleton in which no joint has a length."""
SCREEN_GAMMA = 2.2
"""From colours as MuJoCo and screens have them to amounts of light, which glTF and USD ask for."""


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
        """Each colour (4,) and the indices of the faces that wear it."""
        colours, worn = np.unique(self.colours, axis=0, return_inverse=True)
        return tuple((colour, np.flatnonzero(worn.ravel() == k)) for k, colour in enumerate(colours))


@dataclass(frozen=True, eq=False)
class Figure:
    """A skeleton that moves and what is seen of it."""

    clip: Clip
    skin: Skin

    @cached_property
    def bind(self) -> Places:
        """The joints in the pose that the skin is bound in, (1, J, ...): upright, the root at the origin."""
        skeleton = self.clip.skeleton
        return forward(skeleton, np.zeros((1, 3)), bind_rotation(skeleton)[None])

    @cached_property
    def bound(self) -> tuple[Array, Array]:
        """Vertices (V, 3) m and normals (V, 3) of the skin in that pose."""
        place, turn = self.bind.position[0, self.skin.joints], self.bind.rotation[0, self.skin.joints]
        return place + quat_rotate(turn, self.skin.vertices), quat_rotate(turn, self.skin.normals)


def bind_rotation(skeleton: Skeleton) -> Array:
    """(J, 4) local rotations of an upright pose."""
    plain = np.tile([1.0, 0.0, 0.0, 0.0], (skeleton.count, 1))
    return plain if skeleton.upright is None else skeleton.upright


def figure_of(source: Source) -> Figure:
    """The first performer in the shapes of its body; a clip, which has no body, as bones."""
    clip = clip_of(source)
    if not clip.frames:
        raise PoiseError(f"clip '{clip.name}' has no frames to write")
    if isinstance(source, Clip):
        return Figure(clip, bones(clip.skeleton))
    if isinstance(source, (BodyClip, Dynamic)):
        body = source.body if isinstance(source, BodyClip) else source.clip.body
        return Figure(clip, flesh(body.model, 1, body.rigging or plain_rigging(body.model, 1)))
    return Figure(clip, flesh(source.model, source.root, rigging_of(source)))


def bones(skeleton: Skeleton) -> Skin:
    """An octahedron from each joint to each of its children and tips."""
    arms = [(parent, skeleton.offsets[joint]) for joint, parent in enumerate(skeleton.parents) if parent >= 0]
    arms += [(end.joint, end.offset) for end in skeleton.ends]
    long = [(joint, arm) for joint, arm in arms if np.linalg.norm(arm) > 1e-6] or [(0, STUB)]
    return _joined([(joint, bone(arm), HOUSE_COLOURS[PERFORMER]) for joint, arm in long])


def flesh(model: mujoco.MjModel, root: int, rigging: Rigging) -> Skin:
    """The visible geoms of the body that hangs on `root`; one without any is shown as bones."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    rest = rigging.clip(model, model.qpos0[None], 1.0, "").places
    colours, carriers = geom_colours(model), _carriers(model, rigging)
    shown = (model.geom_group < np.count_nonzero(SHOWN_GROUPS)) & (colours[:, 3] > 0)
    own = model.body_rootid[model.geom_bodyid] == model.body_rootid[root]
    parts = []
    for geom in np.flatnonzero(shown & own):
        solid, joint = geom_solid(model, int(geom)), carriers[model.geom_bodyid[geom]]
        if solid is not None:
            back = quat_conjugate(rest.rotation[0, joint])
            place = quat_rotate(back, data.geom_xpos[geom] - rest.position[0, joint])
            turn = quat_multiply(back, matrix_to_quat(data.geom_xmat[geom].reshape(3, 3)))
            parts.append((joint, solid.placed(place, turn), colours[geom]))
    return _joined(parts) if parts else bones(rigging.skeleton)


def _carriers(model: mujoco.MjModel, rigging: Rigging) -> dict[int, int]:
    """The joint that moves with each link: the first that it carries, else its parent's."""
    first = {link: joint for joint, link in reversed(list(enumerate(rigging.links)))}
    out = {0: 0}
    for body in range(1, model.nbody):
        out[body] = first.get(model.body(body).name, out[int(model.body_parentid[body])])
    return out


def _joined(parts: Sequence[tuple[int, Solid, Array]]) -> Skin:
    """One skin of parts: the joint, the shape in its frame, and the colour of the screen."""
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
