"""The captured clips that we develop with: skipped where they are not."""

import json
from pathlib import Path

import numpy as np
import pytest

from poise.motion.repair.finding import ImportSettings
from poise.motion.repair.importer import import_motion
from poise.motion.roles import find_roles

MOCAP = Path(__file__).resolve().parents[3] / "../shared/mocap"
INDEX = json.loads((MOCAP / "index.json").read_text()) if MOCAP.exists() else []
TWICE = ("02_01", "02_02", "02_03", "02_04", "02_05", "01_12", "03_01")

pytestmark = pytest.mark.skipif(not INDEX, reason="no ../shared/mocap")


@pytest.mark.parametrize("entry", INDEX, ids=[entry["trial"] for entry in INDEX])
def test_every_clip_imports_right_without_options(entry):
    found = import_motion(MOCAP / entry["file"])
    assert found.clip.rate == entry["true_fps"]
    assert found.finding("unit").value == pytest.approx(entry["unit_m"], rel=1e-4)
    assert (found.finding("up").value, found.finding("facing").value) == (entry["up"].lower(), "+z")
    assert found.finding("tpose").value == 1
    assert found.clip.frames == entry["frames_incl_tpose"] - 1
    assert found.finding("thorax").value is True
    assert found.finding("upright").value == "zero pose"


@pytest.mark.parametrize("trial", TWICE)
def test_both_versions_of_a_trial_agree(trial):
    """AMC and BVH, after the thorax was put back: all joints within a centimetre."""
    one, other = (
        import_motion(MOCAP / folder / f"{trial}.{ending}").clip
        for folder, ending in (("asfamc", "amc"), ("bvh", "bvh"))
    )
    roles = [find_roles(clip.skeleton).joints for clip in (one, other)]
    common = sorted(set(roles[0]) & set(roles[1]))
    assert len(common) >= 20
    assert (one.frames, one.rate) == (other.frames, other.rate)
    places = [
        clip.places.position[:, [joints[role] for role in common]]
        for clip, joints in zip((one, other), roles, strict=True)
    ]
    assert np.linalg.norm(places[0] - places[1], axis=-1).max() < 0.01


@pytest.mark.parametrize("trial", ["02_01", "16_17", "83_29", "13_11", "09_01"])
@pytest.mark.parametrize("lie", [0.5, 2.0])
def test_rates_are_found_when_files_lie(trial, lie, tmp_path):
    text = (MOCAP / "bvh" / f"{trial}.bvh").read_text().replace(".0083333", f"{0.0083333 / lie:.7f}")
    path = tmp_path / "lie.bvh"
    path.write_text(text)
    found = import_motion(path)
    assert found.clip.rate == 120.0
    assert f"states {120 * lie:g}" in found.finding("rate").found
    assert import_motion(path, ImportSettings(rate=120 * lie)).clip.rate == 120 * lie
