"""The audit: real recordings pass all of it, and every kind of cheating fails the check it should."""

import dataclasses
import json
import tracemalloc

import mujoco
import numpy as np
import pytest

from poise import (
    Body,
    Cue,
    PoiseError,
    Push,
    Scene,
    World,
    audit,
    named_controller,
    named_motion,
    parse_terrain,
    perform,
)
from poise.dynamics.actuation import PASSIVE
from poise.measure.joint_limits import JointLimits
from poise.measure.metrics import metrics
from poise.measure.replay import replays
from poise.performance.request import Request
from poise.reference.reference import Still
from poise.world.props import Ball
from poise.world.recording import ARRAYS, Recording


@pytest.fixture(scope="module")
def standing():
    return Request("stand", "biped29", pushes=("60@0.1,dir=30",), seconds=0.5).perform().recording


@pytest.fixture(scope="module")
def fallen():
    terrain = "stairs:0.15:0.3:6"
    return Request("fall", "human37", "limp", terrain=terrain, seconds=1.5).perform().recording


def failed(recording):
    return {check.name for check in audit(recording).checks if not check.passed}


def changed(recording, **arrays):
    """A copy with some arrays replaced: by functions of copies, or by values."""
    new = {name: value(getattr(recording, name).copy()) if callable(value) else value for name, value in arrays.items()}
    return dataclasses.replace(recording, **new)


# -- what passes -------------------------------------------------------------------------------------------------


def test_a_pushed_stand_passes(standing):
    assert failed(standing) == set()
    assert audit(standing).passed


def test_a_fall_down_stairs_passes(fallen):
    assert len(set(fallen.contact_body.tolist())) > 5  # it did tumble
    assert failed(fallen) == set()


@pytest.mark.parametrize(
    "session",
    [
        Request("fall", "biped29", "limp", terrain="rough:0.1", seconds=1.0),
        Request("stand", "human58", terrain="slope:5", friction=0.4, seconds=0.5),
        Request("fall", "lamp14", "limp", terrain="drop:0.3", seconds=1.0, noise=0.5, seed=2),
        Request("stand", "human42", pushes=("300@0.1,dir=90,body=head",), seconds=0.5, step=1 / 240),
    ],
    ids=["rough", "slope", "drop", "pushed hard"],
)
def test_other_performances_pass(session):
    assert failed(session.perform().recording) == set()


def test_flight_with_a_prop_passes():
    body = Body.named("biped29")
    world = World(Scene.of(body, props=(Ball(at=(1.0, 0.0, 1.2)),)))
    recording = perform(world, named_controller("hold"), named_motion("stand", body), seconds=0.4).recording
    assert failed(recording) == set()


def test_a_scene_without_gravity_can_be_judged():
    body = Body.named("lamp14")
    world = World(Scene((body,), gravity=0.0))
    recording = perform(
        world, named_controller("hold"), named_motion("stand", body), seconds=0.2, pushes=[Push(5.0, 0.05)]
    ).recording
    assert failed(recording) == set()
    push = np.array(recording.external)
    push[20, 0] += 1.0
    assert "linear_momentum" in failed(changed(recording, external=push))


def test_the_verdict_is_plain_json(standing):
    text = json.dumps(audit(standing).as_dict(), allow_nan=False)
    found = json.loads(text)
    assert found["passed"] is True
    assert found["checks"]["penetration"]["unit"] == "mm"
    assert all(check["passed"] for check in found["checks"].values())


@pytest.fixture(scope="module")
def long():
    return Request("fall", "human37", "limp", terrain="stairs:0.15:0.3:6", seconds=6.0).perform().recording


def test_a_long_recording_is_judged_in_pieces_as_in_one(long, monkeypatch):
    """Momenta, forces, contacts and joint limits of each step count; memory is that of a piece."""
    tracemalloc.start()
    whole, numbers, (_, most) = audit(long), metrics(long), tracemalloc.get_traced_memory()
    monkeypatch.setattr("poise.measure.replay.LONGEST", 120)  # of 720 steps
    assert [each.recording.steps for each in replays(long)] == [120] * 6
    tracemalloc.reset_peak()
    pieces, told, (_, peak) = audit(long), metrics(long), tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 0.6 * most
    assert pieces.verdict == whole.verdict
    found = {check.name: check for check in pieces.checks}
    by_piece = {"joint_equation_p99", "joint_equation_median", "self_overlap", "slip", "stance_slip", "stance_slip_max"}
    for check in (each for each in whole.checks if each.name not in by_piece):
        assert found[check.name].value == pytest.approx(check.value, rel=1e-9, abs=1e-12)
        assert found[check.name].where == check.where
    for key in ("foot_slip_mm_s", "penetration_mm", "overlap_mm"):
        assert told[key] == pytest.approx(numbers[key], rel=1e-9)
    assert told["overlap_share"] == pytest.approx(numbers["overlap_share"], abs=0.005)


@pytest.mark.parametrize("step", [10, 300, 719])
def test_a_fault_is_found_in_any_piece_of_a_long_recording(step, long, monkeypatch):
    def hurry(qvel):
        qvel[step, 0] += 1e-3
        return qvel

    monkeypatch.setattr("poise.measure.replay.LONGEST", 240)
    assert "linear_momentum" in failed(changed(long, qvel=hurry))


# -- what is caught ----------------------------------------------------------------------------------------------


def test_scaled_velocities_break_momentum(fallen):
    found = failed(changed(fallen, qvel=lambda qvel: 1.01 * qvel))
    assert {"linear_momentum", "centre_of_mass"} <= found
    assert "pull" not in found


def test_a_moved_root_breaks_the_path_of_the_centre_of_mass(standing):
    def move(qpos):
        qpos[30, 1] += 1e-3
        return qpos

    found = failed(changed(standing, qpos=move))
    assert "centre_of_mass" in found
    assert "linear_momentum" not in found


def test_a_faster_root_breaks_linear_momentum(standing):
    def hurry(qvel):
        qvel[30, 0] += 1e-3
        return qvel

    assert "linear_momentum" in failed(changed(standing, qvel=hurry))


def test_a_twisted_root_breaks_angular_momentum(standing):
    def twist(qvel):
        qvel[30, 3:6] += [0, 1e-3, 0]
        return qvel

    assert "angular_momentum" in failed(changed(standing, qvel=twist))


@pytest.mark.parametrize(("row", "check"), [(0, "linear_momentum"), (4, "angular_momentum")])
def test_a_helping_hand_that_is_not_declared_is_found(row, check):
    body = Body.named("biped29")
    world = World(Scene.of(body))
    world.reset(np.array(body.standing), np.zeros(body.nv))
    hold = named_controller("hold")
    real = world.step

    def helped(actuation=PASSIVE, push=None):
        hidden = np.zeros(body.nv) if push is None else push.copy()
        hidden[row] += 2.0
        return real(actuation, hidden)._replace(external=np.zeros(body.nv))

    world.step = helped
    recording = perform(world, hold, named_motion("stand", body), seconds=0.2).recording
    assert not recording.external.any()
    assert check in failed(recording)


def test_an_invented_push_is_found(standing):
    def invent(external):
        external[40, 2] += 1.0
        return external

    assert failed(changed(standing, external=invent)) >= {"linear_momentum"}


def test_flipped_friction_is_found(fallen):
    def flip(force):
        normal = fallen.contact_normal
        pressing = np.einsum("ni,ni->n", force, normal)[:, None] * normal
        return pressing - (force - pressing)

    found = failed(changed(fallen, contact_force=flip))
    assert {"friction_work", "linear_momentum"} <= found
    assert "friction_cone" not in found


def test_friction_that_drives_for_a_moment_is_found_in_a_long_recording():
    slide = Request("fall", "human37", "limp", terrain="stairs:0.15:0.3:6", seconds=6.0).perform().recording

    def flip(force):
        normal = slide.contact_normal
        pressing = np.einsum("ni,ni->n", force, normal)[:, None] * normal
        early = (slide.contact_step < 120)[:, None]
        return np.where(early, 2 * pressing - force, force)

    assert "friction_work" not in failed(slide)
    assert "friction_work" in failed(changed(slide, contact_force=flip))


def test_a_force_outside_its_cone_is_found(standing):
    def slant(force):
        force[100, 0] = 1.5 * force[100, 2] + 1.0
        return force

    assert "friction_cone" in failed(changed(standing, contact_force=slant))


def test_a_cone_that_is_wider_than_the_surfaces_allow_is_found(standing):
    """Claiming more friction than the model has is no way out."""

    def slant(force):
        force[100, 0] = 1.5 * force[100, 2] + 1.0
        return force

    wide = changed(standing, contact_force=slant, contact_friction=lambda friction: friction + 9)
    assert "friction_cone" in failed(wide)


def test_a_normal_that_is_not_that_of_the_surface_is_found(standing):
    """Nor is claiming another normal, with the force slanted along."""
    turn = np.array([[0.8, 0, 0.6], [0, 1, 0], [-0.6, 0, 0.8]])
    forged = changed(standing, contact_normal=lambda n: n @ turn.T, contact_force=lambda f: f @ turn.T)
    assert failed(forged) & {"friction_cone", "contact_normal"}


def test_a_pulling_force_is_found(standing):
    def pull(force):
        force[100] = [0, 0, -5]
        return force

    assert "pull" in failed(changed(standing, contact_force=pull))


def test_a_force_where_nothing_touches_is_found(standing):
    def lift(qpos):
        qpos[:, 2] += 0.02
        return qpos

    assert failed(changed(standing, qpos=lift, contact_point=lambda p: p + [0, 0, 0.02])) >= {"contact_distance"}


def test_a_force_far_from_where_the_bodies_touch_is_found(standing):
    """The foot touches, but not 30 cm in front of itself."""
    found = failed(changed(standing, contact_point=lambda p: p + [0.3, 0, 0]))
    assert "contact_place" in found


def test_a_torque_above_its_limit_is_found(standing):
    def strain(torque):
        torque[10, 12] = 1.01 * standing.meta["torque_limits"][12]
        return torque

    assert failed(changed(standing, torque=strain)) >= {"torque_ratio"}


def test_a_torque_on_the_root_is_found(standing):
    def cheat(torque):
        torque[10, 4] = 1.0
        return torque

    assert "root_torque" in failed(changed(standing, torque=cheat))


def test_deep_penetration_is_found(standing):
    def sink(qpos):
        qpos[:, 2] -= 0.03
        return qpos

    found = audit(changed(standing, qpos=sink, contact_point=lambda p: p - [0, 0, 0.03]))
    checks = {check.name: check for check in found.checks}
    assert not checks["penetration"].passed
    assert checks["penetration"].value == pytest.approx(30, abs=1)


def test_times_that_do_not_fit_the_step_are_found(standing):
    """A recording played at another speed has other forces."""
    with pytest.raises(PoiseError, match="time"):
        audit(changed(standing, time=lambda time: 2 * time))


@pytest.mark.parametrize("name", ["qpos", "qvel", "torque", "external", "contact_force", "contact_point"])
def test_numbers_that_are_not_finite_are_refused(name, standing):
    def spoil(values):
        values[3, 2] = np.nan
        return values

    with pytest.raises(PoiseError, match=name):
        audit(changed(standing, **{name: spoil}))


def test_a_recording_without_steps_is_not_physical(standing):
    states = ("time", "qpos", "qvel", "reference_qpos")
    first = {name: getattr(standing, name)[:1] for name in states}
    none = {name: getattr(standing, name)[:0] for name in ARRAYS if name not in states}
    assert failed(changed(standing, **none, **first)) == {"steps"}


def test_a_free_fall_simulated_by_mujoco_passes():
    """The audit knows nothing of how a recording was made."""
    model = Scene((), parse_terrain("flat"), (Ball(at=(0, 0, 50.0)),)).model
    model.opt.timestep = 1 / 120
    data = mujoco.MjData(model)
    data.qvel[:] = [1, 2, 3, 0.5, 1, 2]
    qpos, qvel = [data.qpos.copy()], [data.qvel.copy()]
    for _ in range(20):
        mujoco.mj_step(model, data)
        qpos.append(data.qpos.copy())
        qvel.append(data.qvel.copy())
    recording = Recording(
        model_xml=Scene((), parse_terrain("flat"), (Ball(at=(0, 0, 50.0)),)).xml,
        time=np.arange(21) / 120,
        qpos=np.array(qpos),
        qvel=np.array(qvel),
        torque=np.zeros((20, 6)),
        external=np.zeros((20, 6)),
        contact_step=np.zeros(0, np.int64),
        contact_body=np.zeros(0, np.int64),
        contact_other=np.zeros(0, np.int64),
        contact_point=np.zeros((0, 3)),
        contact_normal=np.zeros((0, 3)),
        contact_force=np.zeros((0, 3)),
        contact_friction=np.zeros(0),
        contact_kind=np.zeros(0, np.int64),
        limit_impulse=np.zeros((20, 6)),
        reference_qpos=None,
        meta={"step": 1 / 120, "torque_limits": [0.0] * 6},
    )
    assert failed(recording) == set()


def test_the_torque_ratio_is_the_largest_share_of_a_limit(standing):
    limits = np.array(standing.meta["torque_limits"], float)
    expected = (np.abs(standing.torque[:, 6:]) / limits[6:]).max()
    assert JointLimits.of(standing).torque_ratio == pytest.approx(expected)
    assert 0 < expected < 1


def test_a_hook_in_the_sky_is_found():
    """A grip that joins the pelvis to nothing in the air."""
    body = Body.named("biped29")
    world = World(Scene.of(body))
    pose = np.array(body.standing)
    pose[2] += 3.0
    hang = Cue(0.0, "hook", lambda here: here.grip("pelvis", here.point("pelvis")))
    result = perform(world, named_controller("hold"), Still("hang", pose, np.zeros(body.nv)), seconds=0.2, cues=[hang])
    assert failed(result.recording) == {"grip_distance"}
