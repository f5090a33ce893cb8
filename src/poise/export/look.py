"""What pages, strips and videos share: colours, the roles of bodies, the performers' size and position."""

from dataclasses import dataclass
from typing import Any, ClassVar
from xml.etree import ElementTree

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from poise.arrays import Array
from poise.reference.body_clip import BodyClip, posed_model_data
from poise.world.recording import Recording
from poise.world.scene import Scene

GROUND, PROP, PERFORMER = "ground", "prop", "performer"
SHOWN_GROUPS = np.array([1, 1, 1, 0, 0, 0], dtype=np.uint8)
"""Geom groups that are drawn; by MuJoCo's convention groups from 3 on are hidden."""

UNPAINTED = np.array([0.5, 0.5, 0.5, 1.0])  # MuJoCo's default colour of geoms
HOUSE_COLOURS = {
    GROUND: np.array([0.90, 0.92, 0.94, 1.0]),
    PROP: np.array([0.47, 0.56, 0.66, 1.0]),
    PERFORMER: np.array([0.87, 0.58, 0.44, 1.0]),
}
"""Default colours (RGBA) by role."""


def visible_model(xml: str) -> Any:
    """Compile a model for ray casting: all geoms can collide, because MuJoCo's ray caster skips those that cannot."""
    root = ElementTree.fromstring(xml)
    for geom in root.iter("geom"):
        geom.set("contype", "1")
        geom.set("conaffinity", "1")
    return mujoco.MjModel.from_xml_string(ElementTree.tostring(root, encoding="unicode"))


def body_roles(model: Any) -> list[str]:
    """Role of each body: ground does not move, a performer has several moving bodies, a prop has one."""
    moving = model.body_weldid != 0
    limbs = np.bincount(model.body_rootid[moving], minlength=model.nbody)
    roots = zip(moving, model.body_rootid, strict=True)
    return [(PERFORMER if limbs[root] > 1 else PROP) if moves else GROUND for moves, root in roots]


def geom_colours(model: Any) -> Array:
    """Colours of the geoms (ngeom, 4): the model's, or HOUSE_COLOURS where the model has the default."""
    colours = np.array(model.geom_rgba, dtype=np.float64)
    roles = body_roles(model)
    for geom in np.flatnonzero((np.abs(colours - UNPAINTED) < 1e-6).all(axis=1)):
        material = model.geom_matid[geom]
        colours[geom] = model.mat_rgba[material] if material >= 0 else HOUSE_COLOURS[roles[model.geom_bodyid[geom]]]
    return colours


def mesh_arrays(model: Any, index: int) -> tuple[NDArray[np.float32], NDArray[Any]]:
    """Vertices (V, 3) m and faces (F, 3) of a mesh of the model."""
    vertex, face = model.mesh_vertadr[index], model.mesh_faceadr[index]
    vertices = model.mesh_vert[vertex : vertex + model.mesh_vertnum[index]]
    return vertices, model.mesh_face[face : face + model.mesh_facenum[index]]


def performer_roots(model: Any) -> NDArray[np.intp]:
    """Ids of the root bodies of the performers, or of the props if there is no performer."""
    roles = np.array(body_roles(model))
    chosen = roles == (PERFORMER if (roles == PERFORMER).any() else PROP)
    return np.unique(model.body_rootid[chosen]).astype(np.intp)


def performer_centre(model: Any, data: Any) -> Array:
    """Mean (3,) in m of the performers' centres of mass; the origin if nothing moves."""
    roots = performer_roots(model)
    return np.asarray(data.subtree_com[roots].mean(axis=0)) if len(roots) else np.zeros(3)


def data_of_pose(model: Any, qpos: ArrayLike) -> Any:
    """MuJoCo data with the places of all bodies, and the centres of mass, in a pose (nq,)."""
    return next(posed_model_data(model, np.array(qpos)[None]))


def camera_azimuth(model: Any, qpos: ArrayLike) -> float:
    """Azimuth (degrees) of a camera that sees the first performer half from the front in a pose (nq,)."""
    roots, data = performer_roots(model), data_of_pose(model, qpos)
    forward = data.xmat[roots[0]].reshape(3, 3)[:, 0] if len(roots) else np.array([1.0, 0.0, 0.0])
    return float(np.degrees(np.arctan2(forward[1], forward[0]))) - 52.0


def performer_span(model: Any, qpos: ArrayLike) -> float:
    """Size (m) of the performers in a pose (nq,): the longest side of their bounding box."""
    own = np.isin(model.body_rootid[model.geom_bodyid], performer_roots(model))
    if not own.any():
        return 1.0
    reach = np.minimum(model.geom_rbound[own], 1.0)[:, None]
    centre = data_of_pose(model, qpos).geom_xpos[own]
    return float(max(0.2, ((centre + reach).max(axis=0) - (centre - reach).min(axis=0)).max()))


@dataclass(frozen=True, eq=False)
class ClipRecording:
    """Poses in a scene, without simulation or forces, in the layout of a recording."""

    model_xml: str
    time: Array  # (T,) s
    qpos: Array  # (T, nq)
    meta: dict[str, Any]
    reference_qpos: ClassVar[None] = None
    contact_step = contact_body = contact_kind = np.zeros(0, int)
    contact_point = contact_force = np.zeros((0, 3))


Drawable = Recording | ClipRecording  # What pages, strips and videos show


def recording_to_draw_clip(clip: BodyClip, terrain: str = "flat") -> ClipRecording:
    """Put a body clip on a terrain unchanged: the figure may float or sink."""
    scene = Scene.of(clip.body, terrain)
    qpos = np.tile(scene.model.qpos0, (clip.frames, 1))
    qpos[:, scene.coordinates(0)] = clip.qpos
    meta = {"body": clip.body.name, "motion": clip.name, "step": 1 / clip.rate}
    return ClipRecording(scene.xml, np.arange(clip.frames) / clip.rate, qpos, meta)
