"""Stabilising torques on the root: when they act, and that they are declared."""

import numpy as np
import pytest

from poise.body.body import Body
from poise.control.poses.poses import Poses, PosesSettings
from poise.control.poses.rig import TimeSpan
from poise.errors import PoiseError
from poise.reference.key_poses import KeyPoseReference, PoseKeys, standing_coordinates
from poise.world.props import Ball, Box
from poise.world.scene import Scene
from poise.world.world import World

STEP = 1 / 120


def staged(controller, rise=0.0, roll=0.0, name="human37", props=()):
    """A world with a standing body, raised by `rise` (m) and rolled by `roll` (degrees)."""
    body = Body.named(name)
    world = World(Scene((body,), props=props))
    nothing = PoseKeys(np.zeros(1), np.array([6]), standing_coordinates(body)[6:7])
    reference = KeyPoseReference(body, "stand", nothing, standing_coordinates(body), np.zeros(body.nv), 10.0)
    qpos = np.array(world.model.qpos0)
    qpos[: body.nq] = body.standing
    qpos[2] += rise
    qpos[3:7] = np.cos(np.radians(roll) / 2), np.sin(np.radians(roll) / 2), 0.0, 0.0
    world.reset(qpos, np.zeros(world.model.nv))
    controller.reset(world, reference)
    return world


def brace_of(controller, world):
    """(nv,) gains of the stabilising torques; zeros if there are none."""
    brace = controller.act(world.state).brace
    return np.zeros(world.model.nv) if brace is None else brace.gain


def test_only_the_orientation_of_the_root_is_stabilised():
    controller = Poses()
    gain = brace_of(controller, staged(controller))
    assert np.all(gain[3:6] > 0)
    assert np.all(gain[:3] == 0)
    assert np.all(gain[6:] == 0)


def test_a_body_in_the_air_is_not_stabilised():
    controller = Poses()
    assert not brace_of(controller, staged(controller, rise=0.3)).any()


def standing_on(thing, top, *below):
    """Stabilising gains of a body that stands on a thing of height `top` (m), with others below it."""
    controller = Poses()
    world = staged(controller, rise=top, props=(thing, *below))
    contacts = world.state.contacts
    pairs = np.stack([contacts.body, contacts.other])[:, contacts.touching]
    ids = {world.scene.link_id(name) for name in (thing.name, "left_foot")}
    assert any(set(pair) == ids for pair in pairs.T.tolist())
    return brace_of(controller, world)


def test_a_body_on_a_box_is_stabilised():
    assert standing_on(Box("block", (1.0, 1.0, 0.2), 500.0, (0.0, 0.0, 0.1)), 0.2)[3:6].all()


def test_a_body_on_a_stack_of_boxes_is_stabilised():
    lower = Box("lower", (1.0, 1.0, 0.3), 500.0, (0.0, 0.0, 0.15))
    assert standing_on(Box("block", (1.0, 1.0, 0.2), 500.0, (0.0, 0.0, 0.4)), 0.5, lower)[3:6].all()


@pytest.mark.parametrize(
    "thing",
    [Box("block", (1.0, 1.0, 0.2), 500.0, (0.0, 0.0, 0.4)), Ball("ball", 0.1, 3.0, (0.04, 0.132, 0.4))],
)
def test_a_body_on_a_thing_in_the_air_is_not_stabilised(thing):
    assert not standing_on(thing, 0.5).any()


def test_contacts_between_the_feet_do_not_count():
    controller = Poses()
    world = staged(controller)
    contacts = world.state.contacts
    other = np.full_like(contacts.other, world.scene.link_id("left_foot"))
    state = world.state._replace(contacts=contacts._replace(other=other))
    assert controller.act(world.state).brace is not None
    assert controller.act(state).brace is None


@pytest.mark.parametrize(("roll", "held"), [(55.0, True), (65.0, False), (180.0, False)])
def test_a_fallen_body_is_not_stabilised(roll, held):
    controller = Poses(PosesSettings(let_go=60.0))
    world = staged(controller)
    data = np.array(world.qpos)
    data[3:7] = np.cos(np.radians(roll) / 2), np.sin(np.radians(roll) / 2), 0.0, 0.0
    state = world.state._replace(qpos=data)  # rolled, with the contacts of a standing body
    assert (controller.act(state).brace is not None) is held


def test_a_lying_body_is_not_stabilised():
    controller = Poses(PosesSettings(let_go=200.0))
    world = staged(controller, roll=90.0, rise=-0.75)
    assert world.state.contacts.touching.any()
    assert not brace_of(controller, world).any()


def test_it_acts_in_the_given_time_spans():
    controller = Poses(stabilised=[TimeSpan(0.0, 0.1), TimeSpan(0.2, 0.3)])
    world = staged(controller)
    held = []
    for _ in range(48):
        held.append(controller.act(world.state).brace is not None)
        world.step(controller.act(world.state))
    times = STEP * np.arange(48)
    expected = ((times < 0.1 - 1e-6) | (times > 0.2 - 1e-6)) & (times < 0.3 - 1e-6)
    np.testing.assert_array_equal(held, expected)


def test_a_gain_of_0_switches_it_off():
    controller = Poses(PosesSettings(stabilise=0.0))
    assert not brace_of(controller, staged(controller)).any()


def test_stabilising_torques_are_declared():
    controller = Poses()
    world = staged(controller, roll=4.0, rise=0.01)
    largest = 0.0
    for _ in range(60):
        result = world.step(controller.act(world.state))
        assert np.all(result.external[:3] == 0)
        assert np.all(result.external[6:] == 0)
        largest = max(largest, np.abs(result.external[3:6]).max())
    assert largest > 1.0


def test_joint_torques_keep_their_limits():
    body = Body.named("human37")
    controller = Poses(PosesSettings(stiffness=100.0))
    world = staged(controller, roll=20.0)
    for _ in range(30):
        result = world.step(controller.act(world.state))
        assert np.all(np.abs(result.torque[6:]) <= body.torque_limit[6:] + 1e-6)


def test_a_stronger_stabiliser_has_larger_gains():
    weak, strong = Poses(), Poses(PosesSettings(stabilise=2.0))
    ratio = brace_of(strong, staged(strong))[3:6] / brace_of(weak, staged(weak))[3:6]
    np.testing.assert_allclose(ratio, 2.0)


@pytest.mark.parametrize("change", [{"reach": 0.0}, {"rate": 0.0}, {"stiffness": -1.0}, {"damping": float("nan")}])
def test_invalid_settings_are_refused(change):
    with pytest.raises(PoiseError, match=next(iter(change))):
        PosesSettings(**change)
