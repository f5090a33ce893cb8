"""Blender itself opens what we write: same bones, frames and rate, and every joint where the recording has it.

`make test-blender` builds the environment; without it these tests are skipped.
"""

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poise import Body, Scene, World, named_controller, named_motion, perform
from poise.export.clips import performer_clip
from poise.export.formats import export

HERE = Path(__file__).parent
BLENDER = Path(os.environ.get("POISE_BLENDER_PYTHON", HERE.parents[1] / ".venv-blender/bin/python"))
MOCAP = HERE.parents[1] / "../shared/mocap"

pytestmark = pytest.mark.skipif(not BLENDER.exists(), reason="no Blender here: make test-blender")


def opened(path, rate, unit):
    """What Blender finds in a file."""
    call = [str(BLENDER), str(HERE / "look.py"), str(path), repr(rate), repr(unit)]
    done = subprocess.run(call, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def fall():
    body = Body.named("human37")
    world = World(Scene.of(body, "stairs:0.15:0.3:8"))
    return perform(world, named_controller("limp"), named_motion("fall", body), seconds=1.0).recording


@pytest.fixture(scope="module")
def users_fall():
    """A body built for a motion-capture skeleton falls; its file had 60 frames a second."""
    from poise.motion.repair.importer import import_motion

    files = sorted(MOCAP.rglob("*.bvh"))
    if not files:
        pytest.skip("no motion capture here")
    clip = import_motion(files[0]).clip
    body = Body.from_skeleton(clip.skeleton, rate=60.0)
    world = World(Scene.of(body))
    return perform(world, named_controller("limp"), named_motion("fall", body), seconds=1.0).recording


def same_as_in_blender(recording, path):
    clip = performer_clip(recording)
    unit = clip.skeleton.convention.unit
    # A BVH file brings its rate; for the others the animator sets the scene's first.
    found = opened(
        export(recording, path, skeleton="repaired", place="origin"), 24.0 if path.suffix == ".bvh" else clip.rate, unit
    )
    assert sorted(found["bones"]) == sorted(clip.skeleton.names)
    assert found["frames"] == clip.frames
    assert found["rate"] == pytest.approx(clip.rate, rel=1e-4)
    assert (found["meshes"] > 0) == (path.suffix != ".bvh")
    assert len(found["shown"]) == 10
    for frame, heads in zip(found["shown"], found["heads"], strict=True):
        places = np.array([heads[name] for name in clip.skeleton.names])
        np.testing.assert_allclose(places, clip.places.position[frame], atol=1e-4)


@pytest.mark.parametrize("ending", ["bvh", "glb", "usdc", "usda"])
def test_a_performance_of_a_bundled_body(fall, ending, tmp_path):
    same_as_in_blender(fall, tmp_path / f"x.{ending}")


@pytest.mark.parametrize("ending", ["bvh", "glb", "usdc"])
def test_a_performance_on_a_users_skeleton(users_fall, ending, tmp_path):
    same_as_in_blender(users_fall, tmp_path / f"x.{ending}")


def test_a_disagreement_is_seen(fall, tmp_path):
    moved = replace(fall, qpos=fall.qpos + np.eye(1, fall.model.nq) * 1e-3)
    export(moved, tmp_path / "x.glb")
    clip, found = performer_clip(fall), opened(tmp_path / "x.glb", 120.0, 0.01)
    heads = np.array([found["heads"][0][name] for name in clip.skeleton.names])
    np.testing.assert_allclose(heads - clip.places.position[0], np.tile([1e-3, 0, 0], (len(heads), 1)), atol=1e-5)
