"""A step that blows up stops cleanly, names the place, and saves the recording so far."""

import json

import numpy as np
import pytest

from poise import Actuation, Body, Recording, Scene, World, named_motion
from poise.cli.main import main


def test_a_blow_up_stops_cleanly_and_saves_the_recording(here, capfd):
    push = "1e8@0.1,duration=1,body=left_hand"
    code = main(["perform", "stand", "--body", "biped29", "--seconds", "1", "--push", push, "--out", "o", "--json"])
    out, err = capfd.readouterr()
    assert code == 1
    assert "Traceback" not in err
    summary = json.loads(out, parse_constant=pytest.fail)
    assert summary["stopped"]["step"] == 12
    assert summary["stopped"]["culprit"] in Body.named("biped29").dof_names
    recording = Recording.load(here / "o/recording.npz")
    assert recording.steps == 12
    assert recording.reference_qpos.shape == recording.qpos.shape == (13, Body.named("biped29").nq)
    assert np.isfinite(recording.qpos).all()
    assert {"kind": "blow-up", **summary["stopped"]} in recording.meta["events"]
    assert main(["audit", "o/recording.npz"]) == 0
    capfd.readouterr()
    assert sorted(path.name for path in (here / "o").iterdir()) == ["motion.bvh", "page.html", "recording.npz"]


def test_a_blow_up_names_step_and_culprit(here, capfd):
    arguments = ["perform", "stand", "--body", "biped29", "--seconds", "1", "--push", "1e8@0.1", "--out", "o"]
    assert main(arguments) == 1
    out, err = capfd.readouterr()
    said = out + err
    assert "step 12" in said
    assert any(name in said for name in Body.named("biped29").dof_names)
    assert "Traceback" not in said


def test_a_blow_up_in_the_first_step_leaves_a_readable_recording(here, capfd):
    arguments = ["perform", "stand", "--body", "biped29", "--seconds", "1", "--noise", "1e7", "--out", "o", "--json"]
    assert main(arguments) == 1
    summary = json.loads(capfd.readouterr().out, parse_constant=pytest.fail)
    assert summary["stopped"]["step"] == 0
    recording = Recording.load(here / "o/recording.npz")
    assert recording.steps == 0
    assert len(recording.qpos) == len(recording.reference_qpos) == 1


def test_absurd_gains_stay_within_the_limits(here, capfd):
    settings = ["--set", "stiffness=1e12", "--set", "damping=0"]
    arguments = ["perform", "stand", "--body", "biped29", "--seconds", "0.3", *settings, "--push", "60@0.1"]
    code = main([*arguments, "--out", "o", "--json"])
    summary = json.loads(capfd.readouterr().out, parse_constant=pytest.fail)
    assert code == (summary["stopped"] is not None)
    assert summary["peak_torque_ratio"] <= 1 + 1e-9


@pytest.mark.parametrize("torque", [1e12, np.nan, np.inf], ids=str)
def test_absurd_torques_without_limits_stop_with_step_and_culprit(torque):
    from poise.performance.stage import perform

    class Absurd:
        name, settings, needs_physics = "absurd", {}, False

        def reset(self, world, reference):
            self.reference = reference
            self.limp = np.zeros(world.scene.model.nv)
            self.knee = world.scene.body.index("left_knee")[0]

        def act(self, state):
            now = self.limp.copy()
            now[self.knee] = torque if state.time > 0.05 else 0.0
            return Actuation(torque=now)

        def target(self, time):
            return self.reference.at(time).qpos

    body = Body.named("biped29")
    body = body.with_torque_limits(np.full(body.nv, np.inf))
    world = World(Scene.of(body))
    done = perform(world, Absurd(), named_motion("stand", body), seconds=1)
    assert done.blow_up is not None
    assert done.blow_up.step == done.recording.steps == 7
    assert done.blow_up.culprit in body.dof_names
    assert str(done.blow_up.step) in str(done.blow_up)
    assert done.blow_up.culprit in str(done.blow_up)
    assert len(done.recording.reference_qpos) == 8
    np.testing.assert_array_equal(world.qpos, done.recording.qpos[-1])  # the world still holds the last good state
    np.testing.assert_array_equal(world.qvel, done.recording.qvel[-1])
    world.step()
    assert np.isfinite(world.qpos).all()
