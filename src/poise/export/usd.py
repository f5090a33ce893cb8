"""USD files: a UsdSkel skeleton, its animation and its skin. Needs the package usd-core.

Metres, y up, one time code per frame. Joint names that are invalid in USD are altered in paths, kept in `jointNames`.
Only the first performer is written, without props.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.errors import PoiseError
from poise.export.figure import SkinnedFigure, bind_pose_rotation, y_up_matrices, y_up_quats, y_up_vectors
from poise.files import write_file
from poise.motion.clip import Clip
from poise.motion.skeleton import Skeleton
from poise.rotations import continuous_quat

ROOT = "/Figure"


def write_usd(figure: SkinnedFigure, path: Path) -> Path:
    """Write a figure as a USD file: text if the path ends in .usda, else binary."""
    stage = _usd_stage(figure)
    with TemporaryDirectory() as folder:
        whole = Path(folder) / f"figure{Path(path).suffix.lower()}"
        stage.GetRootLayer().Export(str(whole))
        return write_file(Path(path), whole.read_bytes())


def _usd_stage(figure: SkinnedFigure) -> Any:
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
    root.CreateExtentAttr(Vt.Vec3fArray.FromNumpy(_as_float32(_usd_extent(figure))))
    return stage


def _usd_extent(figure: SkinnedFigure) -> Array:
    """Corners (2, 3) in m of a box that contains the figure at all times."""
    places = y_up_vectors(figure.clip.places.position)
    reach = np.linalg.norm(figure.skin.vertices, axis=1).max()
    return np.stack([places.min(axis=(0, 1)) - reach, places.max(axis=(0, 1)) + reach])


def _usd_joint_paths(skeleton: Skeleton) -> list[str]:
    """Unique path of each joint from the root joint."""
    from pxr import Sdf, Tf

    paths: list[str] = []
    for name, parent in zip(skeleton.names, skeleton.parents, strict=True):
        word = name if Sdf.Path.IsValidIdentifier(name) else Tf.MakeValidIdentifier(name)
        path = word if parent < 0 else f"{paths[parent]}/{word}"
        paths.append(path if path not in paths else f"{path}_{len(paths)}")
    return paths


def _usd_skeleton(stage: Any, figure: SkinnedFigure, tokens: list[str]) -> Any:
    from pxr import UsdSkel, Vt

    skeleton = UsdSkel.Skeleton.Define(stage, f"{ROOT}/Skeleton")
    joints = figure.clip.skeleton
    skeleton.CreateJointsAttr(tokens)
    skeleton.CreateJointNamesAttr(joints.names)
    bind, rest = figure.bind_pose, y_up_matrices(joints.offsets, bind_pose_rotation(joints))
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


def _usd_mesh(stage: Any, figure: SkinnedFigure) -> Any:
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
