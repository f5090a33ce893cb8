"""Prepared motions as files, and what a user types becoming a body and a motion."""

from pathlib import Path

import numpy as np
import pytest

import skeletons
from poise.arrays import readonly
from poise.body.body import Body
from poise.body.surface import contact_parts
from poise.errors import PoiseError
from poise.library.bodies import load_shipped_or_own_body
from poise.motion.bvh import write_bvh
from poise.motion.clip import clip_from
from poise.performance.cast import cast
from poise.reference.archive import is_prepared, load_prepared, motion_display_name, save_prepared
from poise.reference.body_clip import BodyClip
from poise.reference.played import Played
from poise.retarget.prepare import clip_at_origin, import_changes, prepare
from poise.rotations import quat_exp

WALK = Path(__file__).parents[2] / "examples" / "motions" / "walk.bvh"


@pytest.fixture(scope="module")
def prepared():
    return prepare(WALK, span=(0.5, 1.2))


def still(body, frames=5, **more):
    return BodyClip("still", body, 50.0, readonly(np.tile(body.standing, (frames, 1))), **more)


@pytest.mark.parametrize("name", ["human37", "lamp14"])
def test_bundled_bodies_come_back(tmp_path, name):
    body = Body.named(name)
    down = readonly(np.arange(5 * len(contact_parts(body))).reshape(5, -1) % 3 == 0, bool)
    clip = still(body, down=down, cyclic=True)
    again = load_prepared(save_prepared(clip, tmp_path / "clip.npz"))
    assert again.body is Body.named(name)
    assert (again.name, again.rate, again.cyclic) == ("still", 50.0, True)
    np.testing.assert_array_equal(again.qpos, clip.qpos)
    np.testing.assert_array_equal(again.down, down)
    with pytest.raises(ValueError, match="read-only"):
        again.qpos[0, 0] = 1.0


def test_a_body_of_its_own_comes_back(tmp_path, prepared):
    again = load_prepared(save_prepared(prepared.clip, tmp_path / "walk.npz"))
    assert again.body.mjcf == prepared.clip.body.mjcf
    assert again.body.rigging.skeleton.names == prepared.imported.clip.skeleton.names
    assert again.body.rigging.rate == 60.0
    np.testing.assert_array_equal(again.qpos, prepared.clip.qpos)


def test_scaled_bodies_come_back_as_mjcf(tmp_path):
    body = Body.named("human37").scaled(legs=1.1)
    again = load_prepared(save_prepared(still(body), tmp_path / "clip.npz"))
    assert again.body.mass == pytest.approx(body.mass)
    assert again.body.nq == body.nq


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"qpos": np.zeros((5, 3))}, "shape"),
        ({"qpos": np.full((5, 43), np.nan)}, "not finite"),
        ({"rate": np.array(-1.0)}, "not finite"),
        ({"parts": np.array(["nose"])}, "contact parts"),
        ({"down": np.zeros((2, 2), bool)}, "contacts"),
        ({"body": np.array('{"named": "humann37"}')}, "human37"),
        ({"body": np.array("{")}, "not a prepared motion"),
    ],
)
def test_damaged_files_say_so_in_one_line(tmp_path, change, message):
    path = save_prepared(still(Body.named("human37")), tmp_path / "clip.npz")
    with np.load(path) as archive:
        arrays = {**dict(archive), **change}
    np.savez(path, **arrays)
    with pytest.raises(PoiseError, match=message) as caught:
        load_prepared(path)
    assert "clip.npz" in str(caught.value)


def test_other_files_are_no_prepared_motions(tmp_path):
    (tmp_path / "text.npz").write_text("no archive")
    np.savez(tmp_path / "other.npz", poses=np.zeros(3))
    for name in ("text.npz", "other.npz", "missing.npz"):
        assert not is_prepared(tmp_path / name)
        with pytest.raises(PoiseError, match=name):
            load_prepared(tmp_path / name)


def test_casting(tmp_path, prepared):
    assert cast("stand").body.name == "human37"
    assert cast("stand", "lamp14").body.name == "lamp14"
    path = save_prepared(prepared.clip, tmp_path / "walk.npz")
    chosen = cast(str(path))
    assert chosen.body.name == "walk"
    assert isinstance(chosen.reference, Played)
    assert chosen.imported is None
    assert cast("stand", str(WALK)).body.rigging is not None
    with pytest.raises(PoiseError, match=r"prepared for body 'walk'.*'human37'"):
        cast(str(path), "human37")


def test_bodies_by_what_a_user_types():
    assert load_shipped_or_own_body(str(WALK), mass=50.0).mass == pytest.approx(50.0)
    with pytest.raises(PoiseError, match="'human37' has a fixed mass"):
        load_shipped_or_own_body("human37", mass=50.0)
    with pytest.raises(PoiseError, match="'own' is built for the skeleton of a motion file"):
        cast("stand", "own")


def test_a_prepared_motion_is_not_prepared_again(tmp_path, prepared):
    path = save_prepared(prepared.clip, tmp_path / "walk.npz")
    with pytest.raises(PoiseError, match=r"walk\.npz is already prepared"):
        prepare(path)


@pytest.mark.parametrize("make", [skeletons.lamp, skeletons.snake])
def test_what_has_no_legs_is_prepared_as_it_is(tmp_path, make):
    bones = make()
    rotation = np.zeros((20, bones.count, 4))
    rotation[..., 0] = 1.0
    rotation[:, 1] = quat_exp(np.outer(np.sin(np.linspace(0, 3, 20)), [0.0, 0.4, 0.0]))
    path = write_bvh(clip_from("it", bones, 30.0, np.zeros((20, 3)), rotation), tmp_path / "it.bvh")
    prepared = prepare(path)
    assert max(prepared.cleaned.values()) < 1e-3
    assert load_prepared(save_prepared(prepared.clip, tmp_path / "it.npz")).frames == 20


def test_stages_are_told():
    said = []
    prepare(WALK, span=(0.5, 1.0), say=said.append)
    stages = ["reading walk.bvh", "retargeting 31 frames to walk", "finding contacts", "cleaning feet"]
    assert said == [*stages, "moving overlapping links apart"]


def test_changes_are_what_importing_did(prepared):
    told = import_changes(prepared.imported)
    assert [line.split()[0] for line in told[1:]] == ["unit", "up", "facing", "upright", "rate", "floor", "soles"]
    assert prepared.imported.finding("floor").done in told[-2]


def test_the_example_walk_walks():
    down = prepare(WALK, span=(0.5, 2.7)).clip
    feet = {
        limb: down.down[:, [part.limb == limb for part in down.parts]].any(axis=1)
        for limb in ("left_foot", "right_foot")
    }
    for foot in feet.values():
        assert 0.55 < foot.mean() < 0.7
    assert np.all(feet["left_foot"] | feet["right_foot"])


def test_a_prepared_motion_starts_at_the_origin_facing_forward(prepared):
    clip = prepared.clip
    np.testing.assert_allclose(clip.qpos[0, :2], 0, atol=1e-12)
    assert clip.qpos[-1, 0] > 0.6
    assert abs(clip.qpos[-1, 1]) < 0.1
    turned = clip_at_origin(clip)
    np.testing.assert_allclose(turned.qpos, clip.qpos, atol=1e-12)


def test_a_prepared_motion_goes_back_to_its_own_skeleton(prepared):
    back = prepared.clip.skeleton_clip()
    source = prepared.imported.clip
    assert back.skeleton.names == source.skeleton.names
    np.testing.assert_array_equal(back.skeleton.offsets, source.skeleton.offsets)
    assert back.skeleton.convention.unit == source.skeleton.convention.unit


@pytest.mark.parametrize("span", [(0.5, 0.5), (-1.0, 1.0), (0.0, 99.0), (2.0, 1.0), (np.nan, 1.0), (0.0, np.inf)])
def test_spans_lie_within_the_motion(span):
    with pytest.raises(PoiseError, match=r"walk\.bvh: .* is not within its 4\.32 s"):
        prepare(WALK, span=span)


@pytest.mark.parametrize(
    ("motion", "name"),
    [
        ("walk", "walk"),
        ("clips/jog.npz", "jog"),
        ("out/bend/reference.npz", "bend"),
        ("prepared-walk/reference.npz", "walk"),
    ],
)
def test_what_was_prepared_is_called_like_its_folder(motion, name):
    assert motion_display_name(motion) == name
