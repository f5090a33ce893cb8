"""USD: read back by Pixar's library; the skin, applied by it, lies where MuJoCo has the geoms."""

import sys

import numpy as np
import pytest
from rigs import crooked, users_rigging, with_rigging
from test_glb import expected_vertices

from poise.errors import PoiseError
from poise.export.clips import performer_clip
from poise.export.figure import exported_figure
from poise.export.figure_files import write_usd
from poise.motion.clip import clip_from
from poise.motion.skeleton import Skeleton

Usd, UsdGeom, UsdShade, UsdSkel = (
    pytest.importorskip(f"pxr.{name}") for name in ("Usd", "UsdGeom", "UsdShade", "UsdSkel")
)
TO_OURS = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0.0]])


@pytest.fixture(scope="module", params=["plain", "user"])
def recording(request):
    plain = crooked(0.25)
    return plain if request.param == "plain" else with_rigging(plain, users_rigging(plain.model, plain.root, None))


def opened(figure, path):
    return Usd.Stage.Open(str(write_usd(figure, path)))


def query(stage):
    cache = UsdSkel.Cache()
    return cache.GetSkelQuery(UsdSkel.Skeleton.Get(stage, "/Figure/Skeleton"))


@pytest.mark.parametrize("ending", ["usda", "usdc", "usd"])
def test_joints_go_where_the_clip_has_them(recording, ending, tmp_path):
    clip = performer_clip(recording)
    stage = opened(exported_figure(recording), tmp_path / f"x.{ending}")
    assert stage.GetTimeCodesPerSecond() == stage.GetFramesPerSecond() == pytest.approx(clip.rate)
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0, clip.frames - 1)
    skeleton = query(stage)
    topology = skeleton.GetTopology()
    assert [topology.GetParent(k) for k in range(clip.skeleton.count)] == list(clip.skeleton.parents)
    assert list(skeleton.GetSkeleton().GetJointNamesAttr().Get()) == list(clip.skeleton.names)
    for frame in (0, 7, clip.frames - 1):
        found = np.array(skeleton.ComputeJointSkelTransforms(frame))[:, 3, :3] @ TO_OURS.T
        np.testing.assert_allclose(found, clip.places.position[frame], atol=1e-5)


def test_the_skin_lies_where_mujoco_has_the_geoms(recording, tmp_path):
    stage = opened(exported_figure(recording), tmp_path / "x.usdc")
    mesh = UsdGeom.Mesh.Get(stage, "/Figure/Skin")
    cache = UsdSkel.Cache()
    cache.Populate(UsdSkel.Root.Get(stage, "/Figure"), Usd.PrimDefaultPredicate)
    skinning = cache.GetSkinningQuery(mesh.GetPrim())
    low, high = np.array(UsdSkel.Root.Get(stage, "/Figure").GetExtentAttr().Get()) @ TO_OURS.T
    for frame in (0, 11, len(recording.qpos) - 1):
        points = mesh.GetPointsAttr().Get()
        assert skinning.ComputeSkinnedPoints(query(stage).ComputeSkinningTransforms(frame), points)
        found = np.array(points) @ TO_OURS.T
        np.testing.assert_allclose(found, expected_vertices(recording, recording.qpos[frame]), atol=1e-5)
        assert (found > low).all()
        assert (found < high).all()


def test_every_face_has_one_colour(tmp_path):
    figure = exported_figure(crooked(0.1))
    stage = opened(figure, tmp_path / "x.usda")
    mesh = UsdGeom.Mesh.Get(stage, "/Figure/Skin")
    parts = UsdGeom.Subset.GetAllGeomSubsets(mesh)
    assert sorted(k for part in parts for k in part.GetIndicesAttr().Get()) == list(range(len(figure.skin.faces)))
    for part in parts:
        material, _ = UsdShade.MaterialBindingAPI(part.GetPrim()).ComputeBoundMaterial()
        shader = UsdShade.Shader(material.GetSurfaceOutput().GetConnectedSources()[0][0].source.GetPrim())
        colour = [*shader.GetInput("diffuseColor").Get(), shader.GetInput("opacity").Get()]
        np.testing.assert_allclose(figure.skin.colours[part.GetIndicesAttr().Get()[0]], colour, atol=1e-6)


def test_names_that_usd_cannot_spell_are_altered_and_kept(tmp_path):
    names = ("rig:Hips", "the leg", "the:leg", "2")
    offsets = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0.0]])
    turns = np.tile([1.0, 0, 0, 0], (2, 4, 1))
    clip = clip_from("c", Skeleton(names, (-1, 0, 0, 2), offsets), 30, np.zeros((2, 3)), turns)
    stage = opened(exported_figure(clip), tmp_path / "x.usda")
    skeleton = query(stage)
    joints = [str(token) for token in skeleton.GetSkeleton().GetJointsAttr().Get()]
    assert joints == ["rig_Hips", "rig_Hips/the_leg", "rig_Hips/the_leg_2", "rig_Hips/the_leg_2/_"]
    assert tuple(skeleton.GetSkeleton().GetJointNamesAttr().Get()) == names
    assert skeleton.GetTopology().GetParent(3) == 2


def test_the_same_figure_gives_the_same_bytes(tmp_path):
    figure = exported_figure(crooked(0.1))
    for ending in ("usda", "usdc"):
        paths = [write_usd(figure, tmp_path / f"{k}.{ending}") for k in range(2)]
        assert paths[0].read_bytes() == paths[1].read_bytes()


def test_without_the_package_the_error_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pxr", None)
    with pytest.raises(PoiseError, match=r"pip install poise\[usd\]"):
        write_usd(exported_figure(crooked(0.1)), tmp_path / "x.usd")
    assert list(tmp_path.iterdir()) == []
