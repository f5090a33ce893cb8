"""Files of a figure with its skin and its animation: GLB (binary glTF 2.0) and USD (UsdSkel; needs usd-core).

Metres, y up, facing +z, as glTF requires; in USD one time code per frame. Names of joints that are invalid in USD are
altered in paths, kept in `jointNames`. In GLB, end sites are nodes but not joints of the skin.
"""

import json
import struct
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.errors import PoiseError
from poise.export.figure import (
    SCREEN_GAMMA,
    ExportedFigure,
    bind_pose_of_exported_figure,
    y_up_matrices,
    y_up_quats,
    y_up_vectors,
)
from poise.files import write_file
from poise.motion.clip import Clip
from poise.motion.skeleton import Skeleton
from poise.rotations import continuous_quat
from poise.version import __version__

Json = dict[str, Any]

FLOAT, UINT32, UINT16, UINT8 = 5126, 5125, 5123, 5121  # component types
VERTICES, INDICES = 34962, 34963  # targets of buffer views
KINDS = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
TYPES = {FLOAT: "<f4", UINT32: "<u4", UINT16: "<u2", UINT8: "<u1"}


def write_glb(figure: ExportedFigure, path: Path) -> Path:
    """Write a figure as a GLB file."""
    return write_file(Path(path), glb_bytes(figure))


def glb_bytes(figure: ExportedFigure) -> bytes:
    """The content of the file; equal figures give equal bytes."""
    clip, store = figure.clip, _GlbBuffer()
    nodes, joints = _gltf_nodes(clip), list(range(clip.skeleton.count))
    primitives, bind = _gltf_primitives(figure, store), figure.bind_pose
    unbind = store.add(np.linalg.inv(y_up_matrices(bind.position[0], bind.rotation[0])), FLOAT)
    materials = [_gltf_material(colour) for colour, _ in figure.skin.palette]
    document = {
        "asset": {"version": "2.0", "generator": f"Poise {__version__}"},
        "scene": 0,
        "scenes": [{"name": clip.name, "nodes": [0, len(nodes)]}],
        "nodes": [*nodes, {"name": f"{clip.name}_skin", "mesh": 0, "skin": 0}],
        "meshes": [{"name": f"{clip.name}_skin", "primitives": primitives}],
        "materials": materials,
        "skins": [{"name": clip.name, "joints": joints, "skeleton": 0, "inverseBindMatrices": unbind}],
        "animations": [_gltf_animation(clip, store)],
        "accessors": store.accessors,
        "bufferViews": store.views,
        "buffers": [{"byteLength": len(store.data)}],
    }
    text = _pad_to_four_bytes(json.dumps(document, separators=(",", ":"), allow_nan=False).encode(), b" ")
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    chunks += struct.pack("<I4s", len(store.data), b"BIN\0") + store.data
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


class _GlbBuffer:
    """The binary chunk under construction, with its buffer views and accessors."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.views: list[Json] = []
        self.accessors: list[Json] = []

    def add(self, values: NDArray[Any], component: int, target: int | None = None, bounds: bool = False) -> int:
        """Append an array whose last axis is one element; return the index of its accessor."""
        values = np.ascontiguousarray(values.reshape(len(values), -1), TYPES[component])
        view = {"buffer": 0, "byteOffset": len(self.data), "byteLength": values.nbytes}
        self.views.append(view if target is None else {**view, "target": target})
        self.data += _pad_to_four_bytes(values.tobytes(), b"\0")
        accessor: Json = {"bufferView": len(self.views) - 1, "componentType": component, "count": len(values)}
        accessor["type"] = KINDS[values.shape[1]]
        if bounds:
            accessor |= {"min": values.min(axis=0).tolist(), "max": values.max(axis=0).tolist()}
        self.accessors.append(accessor)
        return len(self.accessors) - 1


def _pad_to_four_bytes(content: bytes, filler: bytes) -> bytes:
    return content + filler * (-len(content) % 4)


def _gltf_nodes(clip: Clip) -> list[Json]:
    """Nodes of the joints in the bind pose, then of the end sites."""
    skeleton = clip.skeleton
    children = [list(below) for below in skeleton.children]
    for number, end in enumerate(skeleton.ends):
        children[end.joint].append(skeleton.count + number)
    places, turns = y_up_vectors(skeleton.offsets), y_up_quats(bind_pose_of_exported_figure(skeleton))
    nodes = []
    for joint, name in enumerate(skeleton.names):
        node: Json = {"name": name, "rotation": turns[joint].tolist()}
        if skeleton.parents[joint] >= 0:
            node["translation"] = places[joint].tolist()
        if children[joint]:
            node["children"] = children[joint]
        nodes.append(node)
    ends = [{"name": f"{skeleton.names[end.joint]}_end", "translation": y_up_vectors(end.offset).tolist()}
            for end in skeleton.ends]  # fmt: skip
    return nodes + ends


def _gltf_primitives(figure: ExportedFigure, store: _GlbBuffer) -> list[Json]:
    """One primitive per colour, over shared vertices in the bind pose."""
    skin = figure.skin
    vertices, normals = figure.bind_mesh
    carried = np.zeros((len(skin.joints), 4))
    carried[:, 0] = skin.joints
    whole = np.tile([255, 0, 0, 0], (len(skin.joints), 1))
    attributes = {
        "POSITION": store.add(y_up_vectors(vertices), FLOAT, VERTICES, bounds=True),
        "NORMAL": store.add(y_up_vectors(normals), FLOAT, VERTICES),
        "JOINTS_0": store.add(carried, UINT16, VERTICES),
        "WEIGHTS_0": store.add(whole, UINT8, VERTICES),
    }
    store.accessors[attributes["WEIGHTS_0"]]["normalized"] = True
    faces = [store.add(skin.faces[own].reshape(-1), UINT32, INDICES) for _, own in skin.palette]
    return [{"attributes": attributes, "indices": indices, "material": k} for k, indices in enumerate(faces)]


def _gltf_material(colour: Array) -> Json:
    surface = {"baseColorFactor": colour.tolist(), "metallicFactor": 0.0, "roughnessFactor": 0.7}
    see_through = {"alphaMode": "BLEND"} if colour[3] < 1 else {}
    name = "#" + bytes(np.rint(255 * colour[:3] ** (1 / SCREEN_GAMMA)).astype(np.uint8)).hex()
    return {"name": name, "pbrMetallicRoughness": surface, **see_through}


def _gltf_animation(clip: Clip, store: _GlbBuffer) -> Json:
    """Rotations of all joints and the translation of the root, or of all joints if the clip has translations."""
    clock = store.add(np.arange(clip.frames) / clip.rate, FLOAT, bounds=True)
    turns = y_up_quats(continuous_quat(clip.rotation))
    moves = {0: clip.position}
    if clip.translation is not None:
        moves |= {joint: clip.translation[:, joint] for joint in range(1, clip.skeleton.count)}
    tracks = [(joint, "translation", y_up_vectors(moves[joint])) for joint in moves]
    tracks += [(joint, "rotation", turns[:, joint]) for joint in range(clip.skeleton.count)]
    return {
        "name": clip.name,
        "channels": [{"sampler": k, "target": {"node": j, "path": path}} for k, (j, path, _) in enumerate(tracks)],
        "samplers": [{"input": clock, "output": store.add(track, FLOAT)} for _, _, track in tracks],
        "extras": {"frames_per_second": clip.rate},
    }


ROOT = "/Figure"


def write_usd(figure: ExportedFigure, path: Path) -> Path:
    """Write a figure as a USD file: text if the path ends in .usda, else binary."""
    stage = _usd_stage(figure)
    with TemporaryDirectory() as folder:
        whole = Path(folder) / f"figure{Path(path).suffix.lower()}"
        stage.GetRootLayer().Export(str(whole))
        return write_file(Path(path), whole.read_bytes())


def _usd_stage(figure: ExportedFigure) -> Any:
    try:
        from pxr import Usd, UsdGeom, UsdSkel, Vt
    except ImportError:
        raise PoiseError("writing USD needs usd-core: pip install poise[usd]") from None
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.y)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    stage.SetTimeCodesPerSecond(figure.clip.rate)
    stage.SetFramesPerSecond(figure.clip.rate)
    stage.SetStartTimeCode(0)
    stage.SetEndTimeCode(figure.clip.frames - 1)
    root = UsdSkel.Root.Define(stage, ROOT)
    stage.SetDefaultPrim(root.GetPrim())
    tokens = _usd_joint_paths(figure.clip.skeleton)
    skeleton = _usd_skeleton(stage, figure, tokens)
    animation = _usd_animation(stage, figure.clip, tokens)
    UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets([animation.GetPath()])
    mesh = _usd_mesh(stage, figure)
    UsdSkel.BindingAPI.Apply(mesh.GetPrim()).CreateSkeletonRel().SetTargets([skeleton.GetPath()])
    places, reach = y_up_vectors(figure.clip.places.position), np.linalg.norm(figure.skin.vertices, axis=1).max()
    box = np.stack([places.min(axis=(0, 1)) - reach, places.max(axis=(0, 1)) + reach])  # m, the figure at all times
    root.CreateExtentAttr(Vt.Vec3fArray.FromNumpy(_as_float32(box)))
    return stage


def _usd_joint_paths(skeleton: Skeleton) -> list[str]:
    """Unique path of each joint from the root joint."""
    from pxr import Sdf, Tf

    paths: list[str] = []
    for name, parent in zip(skeleton.names, skeleton.parents, strict=True):
        word = name if Sdf.Path.IsValidIdentifier(name) else Tf.MakeValidIdentifier(name)
        path = word if parent < 0 else f"{paths[parent]}/{word}"
        paths.append(path if path not in paths else f"{path}_{len(paths)}")
    return paths


def _usd_skeleton(stage: Any, figure: ExportedFigure, tokens: list[str]) -> Any:
    from pxr import UsdSkel, Vt

    skeleton = UsdSkel.Skeleton.Define(stage, f"{ROOT}/Skeleton")
    joints = figure.clip.skeleton
    skeleton.CreateJointsAttr(tokens)
    skeleton.CreateJointNamesAttr(joints.names)
    bind, rest = figure.bind_pose, y_up_matrices(joints.offsets, bind_pose_of_exported_figure(joints))
    rest[0, 3, :3] = 0.0  # as in the bind pose
    skeleton.CreateBindTransformsAttr(Vt.Matrix4dArray.FromNumpy(y_up_matrices(bind.position[0], bind.rotation[0])))
    skeleton.CreateRestTransformsAttr(Vt.Matrix4dArray.FromNumpy(rest))
    return skeleton


def _usd_animation(stage: Any, clip: Clip, tokens: list[str]) -> Any:
    from pxr import UsdSkel, Vt

    animation = UsdSkel.Animation.Define(stage, f"{ROOT}/Animation")
    animation.CreateJointsAttr(tokens)
    animation.CreateScalesAttr(Vt.Vec3hArray(clip.skeleton.count, (1, 1, 1)))
    moves, turns = animation.CreateTranslationsAttr(), animation.CreateRotationsAttr()
    places = _as_float32(y_up_vectors(_usd_translations(clip)))
    quats = _as_float32(y_up_quats(continuous_quat(clip.rotation)))
    for frame in range(clip.frames):
        moves.Set(Vt.Vec3fArray.FromNumpy(places[frame]), frame)
        turns.Set(Vt.QuatfArray.FromNumpy(quats[frame]), frame)
    return animation


def _usd_translations(clip: Clip) -> Array:
    """Translations (T, J, 3) in m of the joints, each in its parent's frame."""
    fixed = np.tile(clip.skeleton.offsets, (clip.frames, 1, 1))
    out = fixed if clip.translation is None else np.array(clip.translation)
    out[:, 0] = clip.position
    return out


def _usd_mesh(stage: Any, figure: ExportedFigure) -> Any:
    from pxr import UsdGeom, UsdShade, UsdSkel, Vt

    skin, (vertices, normals) = figure.skin, figure.bind_mesh
    mesh = UsdGeom.Mesh.Define(stage, f"{ROOT}/Skin")
    points = Vt.Vec3fArray.FromNumpy(_as_float32(y_up_vectors(vertices)))
    mesh.CreatePointsAttr(points)
    mesh.CreateExtentAttr(UsdGeom.PointBased.ComputeExtent(points))
    mesh.CreateNormalsAttr(Vt.Vec3fArray.FromNumpy(_as_float32(y_up_vectors(normals))))
    mesh.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
    mesh.CreateFaceVertexCountsAttr(Vt.IntArray(len(skin.faces), 3))
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(skin.faces.astype(np.int32).reshape(-1)))
    mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    binding = UsdSkel.BindingAPI.Apply(mesh.GetPrim())
    binding.CreateJointIndicesPrimvar(False, 1).Set(Vt.IntArray.FromNumpy(skin.joints.astype(np.int32)))
    binding.CreateJointWeightsPrimvar(False, 1).Set(Vt.FloatArray(len(skin.joints), 1.0))
    UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim())
    for number, (colour, faces) in enumerate(skin.palette):
        part = UsdGeom.Subset.CreateGeomSubset(
            mesh, f"colour{number}", UsdGeom.Tokens.face, Vt.IntArray.FromNumpy(faces.astype(np.int32)), "materialBind"
        )
        UsdShade.MaterialBindingAPI.Apply(part.GetPrim()).Bind(_usd_material(stage, number, colour))
    return mesh


def _usd_material(stage: Any, number: int, colour: Array) -> Any:
    from pxr import Gf, Sdf, UsdShade

    material = UsdShade.Material.Define(stage, f"{ROOT}/colour{number}")
    shader = UsdShade.Shader.Define(stage, f"{ROOT}/colour{number}/surface")
    shader.CreateIdAttr("UsdPreviewSurface")
    shader.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f).Set(Gf.Vec3f(*colour[:3].tolist()))
    shader.CreateInput("opacity", Sdf.ValueTypeNames.Float).Set(float(colour[3]))
    shader.CreateInput("roughness", Sdf.ValueTypeNames.Float).Set(0.7)
    material.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
    return material


def _as_float32(values: Array) -> Any:
    return np.ascontiguousarray(values, np.float32)
