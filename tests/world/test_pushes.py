"""Pushes: how they are written, when they act, and what they do to momentum."""

import math

import mujoco
import numpy as np
import pytest
from hypothesis import given, strategies as st

from poise import Body, PoiseError, Push, Scene, World, named_controller, named_motion, parse_push, perform
from poise.reference.reference import Still
from poise.world.terrain_kinds import parse_terrain

STEP = 1 / 120


def momenta(model, qpos, qvel):
    """Linear and angular momentum of the first tree about its centre of mass, and that centre, by MuJoCo."""
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_comVel(model, data)
    mujoco.mj_subtreeVel(model, data)
    linear = data.subtree_linvel[1] * model.body_subtreemass[1]
    return linear, data.subtree_angmom[1].copy(), data.subtree_com[1].copy(), data.xipos.copy()


def flight(push, body_name="biped29", terrain="flat"):
    """A limp body that starts at rest high in the air and is pushed."""
    body = Body.named(body_name)
    pose = np.array(body.standing)
    pose[2] += 30
    world = World(Scene.of(body, parse_terrain(terrain)))
    motion = Still("float", pose, np.zeros(body.nv), start="summit" if terrain != "flat" else "origin")
    return perform(world, named_controller("limp"), motion, seconds=0.5, pushes=[push]).recording


def change_beyond_gravity(recording):
    model = recording.model
    before, after = (momenta(model, recording.qpos[k], recording.qvel[k])[0] for k in (0, -1))
    fall = recording.steps * recording.step * model.body_subtreemass[1] * np.array(model.opt.gravity)
    return after - before - fall


@pytest.mark.parametrize(
    "text",
    ["150@0.1", "150@0.1,dir=90", "90@0.103,duration=0.071,dir=210", "-40@0.05,dir=1:2:-2", "60@0.0,body=left_hand"],
)
def test_momentum_changes_by_the_impulse(text):
    push = parse_push(text)
    impulse = push.force * push.duration * np.array(push.direction)
    np.testing.assert_allclose(change_beyond_gravity(flight(push)), impulse, atol=1e-8)


def test_the_moment_is_that_of_the_part_that_was_pushed():
    push = parse_push("120@0,duration=0.008333333333333333,dir=0,body=right_hand")
    recording = flight(push)
    model = recording.model
    _, before, com, places = momenta(model, recording.qpos[0], recording.qvel[0])
    _, after, _, _ = momenta(model, recording.qpos[1], recording.qvel[1])
    lever = places[model.body("right_hand").id] - com
    np.testing.assert_allclose(after - before, np.cross(lever, [120 * STEP, 0, 0]), atol=1e-9)


def test_degrees_turn_from_forward_to_the_left():
    for text, direction in {
        "1": (1, 0, 0),
        "1,dir=0": (1, 0, 0),
        "1,dir=90": (0, 1, 0),
        "1,dir=180": (-1, 0, 0),
        "1,dir=-90": (0, -1, 0),
        "1,dir=0:0:5": (0, 0, 1),
        "1,dir=3:0:-4": (0.6, 0, -0.8),
    }.items():
        np.testing.assert_allclose(parse_push(text).direction, direction, atol=1e-12)


def test_forward_is_where_the_character_faces():
    recording = flight(parse_push("100@0.1,dir=0"), terrain="stairs:0.1:0.3:3")  # whose summit faces -x
    np.testing.assert_allclose(change_beyond_gravity(recording), [-10, 0, 0], atol=1e-8)


def test_a_push_is_read_whole():
    push = parse_push("150@2.5,duration=0.3,dir=90,body=torso")
    assert (push.force, push.time, push.duration, push.body) == (150, 2.5, 0.3, "torso")
    plain = parse_push("150")
    assert (plain.time, plain.duration, plain.body) == (1.0, 0.1, None)


@given(
    time=st.floats(0, 2),
    duration=st.floats(1e-4, 0.5),
    step=st.sampled_from([1 / 120, 1 / 60, 1 / 1000, 0.05, 1e-2]),
    first=st.floats(-0.1, 0.0),
)
def test_shares_sum_to_the_duration(time, duration, step, first):
    push = Push(10.0, time, duration)
    starts = first + step * np.arange(math.ceil((time + duration - first) / step) + 2)
    shares = [push.share(start, step) for start in starts]
    assert all(0 <= share <= 1 for share in shares)
    assert step * sum(shares) == pytest.approx(duration, abs=1e-9)


def test_pushes_are_recorded_as_external_forces_and_as_events():
    body = Body.named("biped29")
    pushes = [parse_push("50@0.1,dir=90,body=left_hand"), parse_push("30@0.2,duration=0.05")]
    world = World(Scene.of(body))
    recording = perform(
        world, named_controller("hold"), named_motion("stand", body), seconds=0.4, pushes=pushes
    ).recording
    acting = np.flatnonzero(np.abs(recording.external).max(axis=1) > 0)
    # 0.1 to 0.2 s and 0.2 to 0.25 s; a rounding error may let one more step take part with next to nothing
    strong = np.flatnonzero(np.abs(recording.external).max(axis=1) > 1e-6)
    assert (strong.min(), strong.max()) == (12, 29)
    assert len(acting) <= len(strong) + 1
    np.testing.assert_allclose(recording.external[15, :3], [0, 50, 0], atol=1e-9)
    np.testing.assert_allclose(recording.external[27, :3], [30, 0, 0], atol=1e-9)
    assert np.abs(recording.external[15, 6:]).max() > 1  # the arm feels it
    first, second = recording.meta["events"]
    assert (first["kind"], first["body"], first["force"], first["time"]) == ("push", "left_hand", 50.0, 0.1)
    np.testing.assert_allclose(first["world_force"], [0, 50, 0], atol=1e-12)
    assert second["body"] in body.links
    assert second["duration"] == 0.05
    assert not recording.torque[:, :6].any()


def test_a_generalised_push_has_the_power_of_the_force():
    body = Body.named("biped29")
    world = World(Scene.of(body))
    recording = perform(
        world,
        named_controller("hold"),
        named_motion("stand", body),
        seconds=0.1,
        pushes=[parse_push("70@0,dir=1:2:3,body=right_foot")],
    ).recording
    data = mujoco.MjData(recording.model)
    data.qpos[:] = recording.qpos[5]
    mujoco.mj_kinematics(recording.model, data)
    mujoco.mj_comPos(recording.model, data)
    jacobian = np.zeros((3, recording.model.nv))
    mujoco.mj_jacBodyCom(recording.model, data, jacobian, None, recording.model.body("right_foot").id)
    force = 70 * np.array([1, 2, 3]) / math.sqrt(14)
    np.testing.assert_allclose(recording.external[5], jacobian.T @ force, atol=1e-9)


# -- what is refused ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tail", "world", ""])
def test_pushes_on_what_cannot_be_pushed_are_refused_with_the_choices(name):
    body = Body.named("biped29")
    world = World(Scene.of(body))
    with pytest.raises(PoiseError, match="left_hand"):
        perform(
            world, named_controller("hold"), named_motion("stand", body), seconds=0.1,
            pushes=[Push(10.0, 0.0, 0.1, (1.0, 0.0, 0.0), name)],
        )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "", "hard", "@1", "50@", "50@x", "50@1@2", "50,", "50,dir", "50,dir=", "50,dir=1:2", "50,dir=1:2:3:4",
        "50,dir=0:0:0", "50,dir=nan:0:0", "50,dir=inf", "50,duration=", "50,duration=x", "50,colour=red", "50,=1",
        "50 N", "50,body=",
    ],
)  # fmt: skip
def test_malformed_pushes_are_refused_with_the_form(text):
    with pytest.raises(PoiseError, match=r"is not of the form FORCE\[@TIME\]") as caught:
        parse_push(text)
    assert f"'{text}'" in str(caught.value)


@pytest.mark.parametrize("text", ["nan", "inf", "50@-1", "50@nan", "50@inf", "50,duration=0", "50,duration=-1"])
def test_impossible_pushes_are_refused(text):
    with pytest.raises(PoiseError, match="push"):
        parse_push(text)


def test_a_direction_must_have_unit_length():
    with pytest.raises(PoiseError, match="unit vector"):
        Push(10.0, direction=(1.0, 1.0, 0.0))


def read(text):
    """The push, or the message of the refusal."""
    try:
        return parse_push(text)
    except PoiseError as error:
        return str(error)


def reads_or_refuses(text):
    push = read(text)
    if isinstance(push, str):
        assert len(push.splitlines()) == 1
    else:
        assert math.isfinite(push.force)
        assert push.time >= 0
        assert push.duration > 0
        assert math.hypot(*push.direction) == pytest.approx(1)


@given(st.text())
def test_any_text_is_read_or_refused_in_one_line(text):
    reads_or_refuses(text)


NUMBER = st.one_of(st.floats().map(repr), st.integers().map(str), st.sampled_from(["", "-", "1e999", "1_0", "٣"]))


@given(
    NUMBER,
    st.one_of(st.just(""), NUMBER.map("@{}".format)),
    st.lists(
        st.tuples(st.sampled_from(["dir", "duration", "body", "", "x"]), st.lists(NUMBER, max_size=4)).map(
            lambda option: f",{option[0]}={':'.join(option[1])}"
        ),
        max_size=3,
    ),
)
def test_anything_like_a_push_is_read_or_refused_in_one_line(force, time, options):
    reads_or_refuses(force + time + "".join(options))
