"""Formats by ending, for recordings, motions on a body and bare clips; and the files that they are made from."""

from pathlib import Path

import numpy as np
import pytest
from rigs import crooked, needs_av, needs_graphics, record

from poise import Body
from poise.errors import PoiseError
from poise.export.clips import performer_clip
from poise.export.figure import exported_figure
from poise.export.formats import FORMATS, export, read_exportable
from poise.library.motions import shipped_dynamic
from poise.motion.bvh import read_bvh
from poise.motion.clip import Clip
from poise.physics.dynamic_motion import recording_of_motion
from poise.reference.archive import save_prepared
from poise.reference.body_clip import BodyClip
from poise.reference.dynamic import ContactSchedule, Dynamic
from poise.retarget.prepare import prepare
from poise.world.recording import Recording

WALK = Path(__file__).parents[2] / "examples/motions/walk.bvh"
ALL = [pytest.param(ending, marks=[needs_graphics, needs_av] if ending == "mp4" else []) for ending in FORMATS]
CLIPS = [ending for ending, form in FORMATS.items() if form.of_clips]


@pytest.fixture(scope="module")
def recording():
    return record(Body.named("biped29"), 0.1)


@pytest.fixture(scope="module")
def body_clip(recording):
    return BodyClip("fall", Body.named("biped29"), 120.0, recording.qpos)


@pytest.mark.parametrize("ending", ALL)
def test_recordings_and_motions_on_a_body_go_into_every_format(ending, recording, body_clip, tmp_path):
    for name, source in (("r", recording), ("b", body_clip)):
        assert export(source, tmp_path / f"{name}.{ending.upper()}").stat().st_size > 1000


@pytest.mark.parametrize("ending", ALL)
def test_motions_that_obey_physics_go_into_every_format(ending, tmp_path):
    assert export(shipped_dynamic("hang", "biped29"), tmp_path / f"x.{ending}").stat().st_size > 1000


def test_what_is_known_of_a_motion_is_shown():
    motion = shipped_dynamic("hang", "biped29")
    seen = recording_of_motion(motion)
    assert seen.model.body("bar").id > 0
    assert seen.meta["dof_names"] == list(motion.clip.body.dof_names)
    assert len(seen.contact_force) > 0


def test_motions_that_obey_physics_go_back_at_the_rate_of_the_users_file():
    body = prepare(WALK, span=(1.0, 1.2)).clip.body
    qpos = np.tile(body.standing, (121, 1))
    tables = [(0, 3), (0,), (0,), (121, 0), (120, 0, 3), (121, 0)]  # of a motion that touches nothing
    none = ContactSchedule((), (), *map(np.zeros, tables))
    still = Dynamic(BodyClip("still", body, 120.0, qpos), np.zeros((121, body.nv)), np.zeros((120, body.nv)), none, 0.7)
    clip = performer_clip(still)
    assert (clip.rate, clip.frames) == (60.0, 61)
    assert clip.skeleton.names == read_bvh(WALK).skeleton.names


@pytest.mark.parametrize("ending", CLIPS)
def test_clips_go_into_all_that_need_no_body(ending, recording, tmp_path):
    assert export(performer_clip(recording), str(tmp_path / f"x.{ending}")).stat().st_size > 1000
    assert {"html", "png"}.isdisjoint(CLIPS)


def test_other_endings_are_refused_with_those_there_are(recording, tmp_path):
    with pytest.raises(PoiseError, match=r"unknown format 'gbl'\. Did you mean 'glb'"):
        export(recording, tmp_path / "x.gbl")
    with pytest.raises(PoiseError, match="ending that names the format, one of bvh, glb"):
        export(recording, tmp_path / "x")
    with pytest.raises(PoiseError, match=r"without a body 'html'.*Valid: bvh, csv, glb, npz, usd, usda, usdc\.$"):
        export(performer_clip(recording), tmp_path / "x.html")
    assert list(tmp_path.iterdir()) == []


def test_a_motion_on_a_body_wears_its_shapes(recording, body_clip):
    worn, bare = exported_figure(body_clip).skin, exported_figure(performer_clip(recording)).skin
    np.testing.assert_allclose(worn.vertices, exported_figure(recording).skin.vertices, atol=1e-12)
    assert len(worn.vertices) > len(bare.vertices)


def test_sources_are_known_by_their_contents(recording, body_clip, tmp_path):
    recording.save(tmp_path / "recording.npz")
    save_prepared(body_clip, tmp_path / "prepared.npz")
    for ending in ("npz", "bvh"):
        export(recording, tmp_path / f"clip.{ending}")
    assert isinstance(read_exportable(tmp_path / "recording.npz"), Recording)
    assert isinstance(read_exportable(tmp_path / "prepared.npz"), BodyClip)
    expected = performer_clip(recording)
    for ending in ("npz", "bvh"):
        clip = read_exportable(tmp_path / f"clip.{ending}")
        assert isinstance(clip, Clip)
        np.testing.assert_allclose(clip.places.position, expected.places.position, atol=1e-6)


def test_motion_files_come_out_as_they_went_in(tmp_path):
    first = export(crooked(0.1), tmp_path / "a.bvh")
    second = export(read_exportable(first), tmp_path / "b.bvh")
    there, back = read_bvh(first), read_bvh(second)
    assert there.skeleton.names == back.skeleton.names
    np.testing.assert_allclose(there.places.position, back.places.position, atol=1e-4)  # cm


def test_what_is_no_source_is_refused(tmp_path):
    np.savez(tmp_path / "x.npz", a=1)
    with pytest.raises(PoiseError, match=r"x\.npz is not a recording"):
        read_exportable(tmp_path / "x.npz")
    with pytest.raises(PoiseError, match="cannot read"):
        read_exportable(tmp_path / "gone.bvh")
