"""`poise perform`: its output and its files."""

import json

import mujoco
import numpy as np
import pytest
from commanding import BALL

from poise import Body, Recording
from poise.cli.main import main


def test_perform_prints_one_json_object_and_writes_its_files(here, capfd):
    arguments = ["perform", "stand", "--body", "biped29", "--seconds", "0.5", "--push", "40@0.1"]
    assert main([*arguments, "--out", "a/b", "--json"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    assert out.count("\n") == 1
    summary = json.loads(out, parse_constant=pytest.fail)
    assert {
        "seconds", "fell_at", "real_time_factor", "setup_s", "step_ms", "tracking", "foot_slip_mm_s", "penetration_mm",
        "overlap_mm", "overlap_share", "jitter", "peak_torque_ratio", "files",
    } <= set(summary)  # fmt: skip
    assert set(summary["step_ms"]) == {"median", "p99"}
    assert set(summary["tracking"]) == {"joint_rms_deg", "root_rms_m"}
    assert summary["seconds"] == pytest.approx(0.5)
    assert summary["fell_at"] is None
    assert summary["real_time_factor"] > 0
    assert 0 < summary["step_ms"]["median"] <= summary["step_ms"]["p99"]
    assert 0 < summary["peak_torque_ratio"] <= 1
    assert sorted(path.name for path in (here / "a/b").iterdir()) == ["motion.bvh", "page.html", "recording.npz"]
    assert [str(here / name) for name in summary["files"]] == [
        str(here / "a/b" / name) for name in ("recording.npz", "motion.bvh", "page.html")
    ]
    assert (here / "a/b/motion.bvh").read_text().startswith("HIERARCHY")
    assert "<html" in (here / "a/b/page.html").read_text()


def test_the_recording_has_the_documented_contents(performed):
    with np.load(performed / "recording.npz", allow_pickle=False) as file:
        data = {name: file[name] for name in file.files}
    assert set(data) == {
        "model_xml", "time", "qpos", "qvel", "torque", "external", "contact_step", "contact_body", "contact_other",
        "contact_point", "contact_normal", "contact_force", "contact_friction", "contact_kind", "limit_impulse",
        "reference_qpos", "meta",
    }  # fmt: skip
    model = mujoco.MjModel.from_xml_string(str(data["model_xml"]))
    steps, contacts = 24, len(data["contact_step"])
    assert contacts > 0
    shapes = {
        "time": (steps + 1,),
        "qpos": (steps + 1, model.nq),
        "qvel": (steps + 1, model.nv),
        "torque": (steps, model.nv),
        "external": (steps, model.nv),
        "limit_impulse": (steps, model.nv),
        "reference_qpos": (steps + 1, model.nq),
        **dict.fromkeys(("contact_point", "contact_normal", "contact_force"), (contacts, 3)),
        **dict.fromkeys(
            ("contact_step", "contact_body", "contact_other", "contact_friction", "contact_kind"), (contacts,)
        ),
    }
    whole = {"contact_step", "contact_body", "contact_other", "contact_kind"}
    for name, shape in shapes.items():
        assert data[name].shape == shape, name
        assert data[name].dtype == (np.int64 if name in whole else np.float64), name
    assert not data["torque"][:, :6].any()
    assert not data["external"].any()
    np.testing.assert_allclose(data["time"], np.arange(steps + 1) / 120, atol=1e-12)
    meta = json.loads(str(data["meta"]), parse_constant=pytest.fail)
    for key in ("version", "settings", "step", "torque_limits", "events"):
        assert key in meta
    assert (meta["body"], meta["motion"], meta["controller"], meta["seed"]) == ("lamp14", "stand", "hold", 0)
    assert len(meta["torque_limits"]) == model.nv


def test_without_json_progress_goes_to_stderr_and_a_summary_to_stdout(here, capsys):
    assert main(["perform", "stand", "--body", "lamp14", "--seconds", "0.1", "--out", "o"]) == 0
    out = capsys.readouterr().out
    assert "stayed up" in out
    assert out.count("wrote ") == 3


def test_the_folder_is_named_after_the_motion_by_default(here):
    assert main(["perform", "stand", "--body", "lamp14", "--seconds", "0.05", "--json"]) == 0
    assert sorted(path.name for path in here.iterdir()) == ["poise-stand"]


def test_a_users_own_body_performs(here, capsys):
    (here / "ball.xml").write_text(BALL)
    assert main(["perform", "stand", "--body", "ball.xml", "--seconds", "0.1", "--out", "o", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["seconds"] == pytest.approx(0.1)


def test_a_named_set_of_limits_is_used(here, capsys):
    for limits in ("human", "athlete"):
        arguments = ["perform", "stand", "--seconds", "0.05", "--limits", limits, "--out", limits, "--json"]
        assert main(arguments) == 0
    loose, tight = (Recording.load(here / name / "recording.npz") for name in ("athlete", "human"))
    body = Body.named("human37")
    np.testing.assert_array_equal(loose.meta["torque_limits"], body.torque_limits["athlete"])
    np.testing.assert_array_equal(tight.meta["torque_limits"], body.torque_limits["human"])
