"""Scenes: several bodies, props and grips in one world."""

import dataclasses

import mujoco
import numpy as np
import pytest

from gripping import apart
from poise import Actuation, Body, Cue, Motors, PoiseError, Scene, World, audit, named_controller, named_motion, perform
from poise.world.props import Ball, Bar, Barbell, Block, Box, Tray
from poise.world.recorder import Recorder

QUADRUPED = """
<mujoco model="cart"><worldbody>
  <geom type="plane" size="1 1 1"/>
  <body name="trunk" pos="0 0 .6"><freejoint/><geom type="box" size=".3 .15 .06" mass="8"/>
    {legs}
  </body></worldbody></mujoco>"""
LEG = """
<body name="{name}" pos="{x} {y} -.06"><joint name="{name}_hip" axis="0 1 0" range="-40 40"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.4" size=".03" mass=".7"/></body>"""


def cart():
    legs = "".join(
        LEG.format(name=f"{side}_{end}_leg", x=x, y=y)
        for side, y in (("left", 0.12), ("right", -0.12))
        for end, x in (("fore", 0.25), ("hind", -0.25))
    )
    return QUADRUPED.format(legs=legs)


def momentum(world):
    """Linear and angular momentum (about the world's origin) of everything that moves, by MuJoCo."""
    model, data = world.model, mujoco.MjData(world.model)
    data.qpos[:], data.qvel[:] = world.qpos, world.qvel
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_comVel(model, data)
    mujoco.mj_subtreeVel(model, data)
    roots = model.jnt_bodyid[model.jnt_type == mujoco.mjtJoint.mjJNT_FREE]
    linear = data.subtree_linvel[roots] * model.body_subtreemass[roots, None]
    angular = data.subtree_angmom[roots] + np.cross(data.subtree_com[roots], linear)
    return linear.sum(axis=0), angular.sum(axis=0)


def springs(world, pose, stiffness=2000.0):
    """Joint springs of every body towards a pose, within the limits."""
    model = world.model
    error = np.zeros(model.nv)
    mujoco.mj_differentiatePos(model, error, 1.0, world.qpos, pose)
    gains = np.where(world.torque_limit > 0, stiffness, 0.0)
    return Actuation(motors=Motors.spring_damper(error, np.zeros(model.nv), gains, 0.1 * gains, world.settings.step))


def run(world, seconds):
    for _ in range(round(seconds / world.settings.step)):
        result = world.step()
        assert result.solution.ok
    return result


# -- two bodies --------------------------------------------------------------------------------------------------


def test_a_body_dropped_onto_another_lands_on_it():
    below, above = Body.named("lamp14"), Body.named("lamp14")
    scene = Scene((below, above))
    world = World(scene)
    assert scene.model.nv == below.nv + above.nv
    qpos = np.array(world.model.qpos0)
    qpos[scene.coordinates(0)] = below.standing
    qpos[scene.coordinates(1)] = above.standing
    top = below.standing.copy()
    qpos[scene.coordinates(1).start + 2] += 1.0
    world.reset(qpos, np.zeros(world.model.nv))
    met = 0
    for _ in range(120):
        result = world.step(springs(world, qpos))
        pressed = result.impulse[:, 0] > 0
        roots = {
            frozenset(world.model.body_rootid[[a, b]].tolist())
            for a, b in zip(result.body[pressed], result.other[pressed], strict=True)
        }
        met += any(0 not in pair and len(pair) == 2 for pair in roots)
        assert world.state.contacts.gap.min(initial=0.0) > -0.01
    assert met > 3
    assert np.isfinite(world.qpos).all()
    assert np.linalg.norm(world.qpos[scene.coordinates(0)] - top) > 1e-3  # the lower one felt it


def test_what_two_bodies_exchange_in_the_air_leaves_total_momentum_alone():
    first, second = Body.named("lamp14"), Body.named("biped29")
    scene = Scene((first, second))
    world = World(scene)
    qpos, qvel = np.array(world.model.qpos0), np.zeros(world.model.nv)
    qpos[scene.coordinates(0)], qpos[scene.coordinates(1)] = first.standing, second.standing
    qpos[scene.coordinates(0).start + 2] += 20.5
    qpos[scene.coordinates(1).start + 2] += 20
    qpos[scene.coordinates(1).start] -= 0.9
    qvel[scene.dofs(1).start] = 5.0
    world.reset(qpos, qvel)
    linear, angular = momentum(world)
    mass = float(world.model.body_mass.sum())
    touched, fallen = False, np.zeros(3)
    for _ in range(60):
        data = world.terms.data
        weighted = (data.xipos[1:] * world.model.body_mass[1:, None]).sum(axis=0)
        fallen += np.cross(weighted, [0, 0, -9.81]) / 120
        touched |= bool((world.step().impulse[:, 0] > 0).any())
    assert touched
    after, turned = momentum(world)
    np.testing.assert_allclose(after - linear, [0, 0, -9.81 * mass * 0.5], atol=1e-7)
    np.testing.assert_allclose(turned - angular - fallen, 0, atol=1e-6)


def test_the_second_body_keeps_its_own_names_and_limits():
    scene = Scene((Body.named("lamp14"), Body.named("lamp14").with_torque_limits(np.full(14, 3.0))))
    world = World(scene)
    assert (world.torque_limit[scene.dofs(1)][6:] == 3.0).all()
    assert (world.torque_limit[scene.dofs(0)][6:] == 20.0).all()
    assert scene.link_id("base") == 1
    assert scene.link_id("lamp14.2/base") == 1 + len(scene.body.links)
    assert scene.dof_name(scene.dofs(1).start + 6) == "lamp14.2/base_joint_x"
    with pytest.raises(PoiseError, match=r"unknown body part 'nose'.*base.*lamp14\.2/base"):
        scene.link_id("nose")


# -- props -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prop", "masses"),
    [
        (Ball(radius=0.2, mass=3.0, at=(0, 0, 0.2)), {"ball": 3.0}),
        (Box(size=(0.2, 0.3, 0.4), mass=7.0, at=(0, 0, 0.2)), {"box": 7.0}),
        (Barbell(mass=40.0, disc=0.2, at=(0, 0, 0.2)), {"barbell": 40.0}),
        (Barbell(mass=10.0, disc=0.2, at=(0, 0, 0.2)), {"barbell": 10.0}),
        (Tray(mass=0.9, glass_mass=0.25, at=(0, 0, 0.006)), {"tray": 0.9, "tray_glass": 0.25}),
    ],
    ids=["ball", "box", "heavy barbell", "light barbell", "tray"],
)
def test_props_weigh_what_they_should_and_rest_where_they_are_put(prop, masses):
    world = World(Scene((), props=(prop,)))
    for name, mass in masses.items():
        assert world.model.body(name).mass[0] == pytest.approx(mass)
    assert world.model.body_mass.sum() == pytest.approx(sum(masses.values()))
    first = world.qpos.copy()
    result = run(world, 1.0)
    assert np.abs(world.qpos - first).max() < 1e-4
    assert np.abs(world.qvel).max() < 1e-3
    pressed = np.einsum("cij,ci->cj", result.frame, result.impulse)
    on_ground = result.other == 0
    weight = sum(masses.values()) * 9.81 * world.settings.step
    assert pressed[on_ground, 2].sum() == pytest.approx(weight, rel=1e-3)


def test_a_dropped_tray_keeps_its_glass():
    world = World(Scene((), props=(Tray(at=(0, 0, 0.05)),)))
    run(world, 1.0)
    tray, glass = world.terms.data.body("tray"), world.terms.data.body("tray_glass")
    assert tray.xpos[2] == pytest.approx(0.006, abs=1e-3)
    assert glass.xpos[2] - tray.xpos[2] == pytest.approx(0.066, abs=1e-3)
    assert np.abs(glass.xpos[:2] - tray.xpos[:2]).max() < 0.05
    assert glass.xmat[8] > 0.999  # upright


def test_a_bar_is_fixed_and_carries_what_lies_on_it():
    world = World(Scene((), props=(Bar(height=1.5), Box(size=(0.4, 0.4, 0.1), mass=5.0, at=(0, 0, 1.5661)))))
    assert world.model.nv == 6
    run(world, 0.3)
    assert world.terms.data.body("box").xpos[2] == pytest.approx(1.566, abs=2e-3)
    np.testing.assert_array_equal(world.terms.data.body("bar").xpos, [0, 0, 1.5])


def test_a_block_is_fixed_and_carries_what_lies_on_it():
    props = (Block(size=(0.5, 0.5, 0.8), at=(0, 0, 0.4)), Box(size=(0.4, 0.4, 0.1), mass=5.0, at=(0, 0, 0.8501)))
    world = World(Scene((), props=props))
    assert world.model.nv == 6
    run(world, 0.3)
    assert world.terms.data.body("box").xpos[2] == pytest.approx(0.85, abs=2e-3)


def test_props_collide_with_each_other_and_with_a_body():
    body = Body.named("biped29")
    scene = Scene.of(body, props=(Ball(mass=4.0, at=(-2.0, 0, 1.2)), Box(mass=3.0, at=(3.0, 0, 0.2))))
    world = World(scene)
    qpos, qvel = np.array(world.model.qpos0), np.zeros(world.model.nv)
    qpos[scene.coordinates(0)] = body.standing
    qvel[int(world.model.joint("ball").dofadr[0])] = 8.0
    world.reset(qpos, qvel)
    ball = world.model.body("ball").id
    hit = set()
    for _ in range(60):
        result = world.step(springs(world, qpos))
        pressed = (result.impulse[:, 0] > 0) & ((result.body == ball) | (result.other == ball))
        hit |= set(world.model.body_rootid[result.body[pressed]].tolist())
        hit |= set(world.model.body_rootid[result.other[pressed]].tolist())
    assert 1 in hit  # the character
    stack = World(Scene((), props=(Box(at=(0, 0, 0.2)), Ball(radius=0.1, at=(0, 0, 0.5)))))
    run(stack, 0.5)
    assert stack.terms.data.body("ball").xpos[2] == pytest.approx(0.5, abs=1e-3)


# -- a user's body, friction, gravity ----------------------------------------------------------------------------


def test_a_users_body_falls_and_comes_to_rest_on_the_ground():
    body = Body.from_mjcf(cart())
    world = World(Scene.of(body))
    qpos = np.array(body.standing)
    qpos[2] += 0.2
    world.reset(qpos, np.zeros(body.nv))
    for _ in range(240):
        error = np.zeros(body.nv)
        mujoco.mj_differentiatePos(world.model, error, 1.0, world.qpos, body.standing)
        gains = np.where(np.arange(body.nv) < 6, 0.0, 300.0)
        world.step(Actuation(motors=Motors.spring_damper(error, np.zeros(body.nv), gains, 0.1 * gains, 1 / 120)))
    assert world.qpos[2] == pytest.approx(body.standing[2], abs=0.01)
    assert np.abs(world.qvel).max() < 0.01


def test_gravity_and_friction_are_those_of_the_scene():
    scene = Scene((), props=(Box(at=(0, 0, 0.2)),), friction=0.3, gravity=1.62)
    world = World(scene)
    velocity = np.zeros(6)
    velocity[0] = 2.0
    world.reset(world.qpos.copy(), velocity)
    for _ in range(60):
        world.step()
    assert world.qvel[0] == pytest.approx(2.0 - 0.3 * 1.62 * 0.5, rel=0.01)


@pytest.mark.parametrize("wrong", [{"friction": -1.0}, {"friction": np.nan}, {"friction": np.inf}, {"gravity": np.nan}])
def test_impossible_scenes_are_refused(wrong):
    with pytest.raises(PoiseError, match=next(iter(wrong))):
        Scene((Body.named("lamp14"),), **wrong)


@pytest.mark.parametrize(
    "props", [(Ball(), Ball()), (Box(name="base"),), (Ball(mass=-1.0),), (Box(size=(0.1, 0.1, 0.0)),)]
)
def test_props_that_cannot_be_are_refused_in_one_line(props):
    with pytest.raises(PoiseError) as caught:
        _ = Scene.of("lamp14", props=props).model
    assert len(str(caught.value).splitlines()) == 1


# -- grips -------------------------------------------------------------------------------------------------------


def test_a_hand_that_grips_a_barbell_keeps_it_and_their_total_momentum():
    body = Body.named("biped29")
    scene = Scene.of(body, props=(Barbell(mass=12.0, at=(0.1, 0.0, 20.84)),))
    world = World(scene)
    qpos, qvel = np.array(world.model.qpos0), np.zeros(world.model.nv)
    qpos[scene.coordinates(0)] = body.standing
    qpos[scene.coordinates(0).start + 2] += 20
    first = int(world.model.joint("barbell").dofadr[0])
    qvel[:6] = [0.5, 0.2, 1.0, 0.3, 1.0, -0.4]
    qvel[first : first + 6] = [-1.0, 0.0, 0.5, 1.0, 2.0, 0.5]
    world.reset(qpos, qvel)
    hand = world.terms.data.body("left_hand").xpos.copy()
    grip = world.grip("left_hand", hand, "barbell")
    assert world.grips == (grip,)
    linear, angular = momentum(world)
    mass = float(world.model.body_mass.sum())
    moment = np.zeros(3)
    for k in range(60):
        data = world.terms.data
        weighted = (data.xipos[1:] * world.model.body_mass[1:, None]).sum(axis=0)
        moment += np.cross(weighted, [0, 0, -9.81]) / 120
        result = world.step()
        assert apart(world, grip) < 2e-3, k
    assert np.linalg.norm(result.grip_impulse) > 0
    after, turned = momentum(world)
    np.testing.assert_allclose(after - linear, [0, 0, -9.81 * mass * 0.5], atol=1e-7)
    np.testing.assert_allclose(turned - angular - moment, 0, atol=1e-5)


def test_grips_on_nothing_are_refused():
    world = World(Scene.of("lamp14", props=(Barbell(),)))
    with pytest.raises(PoiseError, match="'tail'"):
        world.grip("tail", np.zeros(3), "barbell")
    with pytest.raises(PoiseError, match=r"'tail'.*barbell"):
        world.grip("base", np.zeros(3), "tail")


def test_a_long_bar_is_not_held_from_beside_it():
    """Half a metre away is within the ball around it, and further than any hand reaches."""
    world = World(Scene((), props=(Barbell(at=(0, 0, 5.0)), Ball(at=(0.5, 0.0, 5.0)))))
    with pytest.raises(PoiseError, match=r"'barbell' is 0\.4\d m away"):
        world.grip("ball", np.array([0.5, 0.0, 5.0]), "barbell")


@pytest.mark.parametrize("beside", [0.11, 0.1], ids=["beside each other", "one inside the other"])
def test_grips_are_recorded_and_pass_the_audit(beside):
    scene = Scene((), props=(Barbell(mass=12.0, at=(0, 0, 5.0)), Ball(at=(beside, 0.0, 5.0))))
    world = World(scene)
    velocity = np.zeros(12)
    velocity[:6] = [0.5, 0.2, 1.0, 0.3, 1.0, -0.4]
    world.reset(world.qpos.copy(), velocity)
    world.grip("ball", np.array([beside, 0.0, 5.0]), "barbell")
    recorder = Recorder(world, with_reference=False)
    for _ in range(20):
        recorder.add(world.step())
    held = {"kind": "grips", "time": 0.0, "pairs": [["ball", "barbell"]]}
    recording = recorder.finish({"step": world.settings.step, "root": "barbell", "events": [held]})
    assert (recording.contact_kind == 1).sum() == 20
    assert [check for check in audit(recording).checks if not check.passed] == []
    above = dataclasses.replace(recording, contact_point=recording.contact_point + [0.0, 0.0, 0.3])
    assert "grip_distance" in {check.name for check in audit(above).checks if not check.passed}


def test_cues_act_at_their_times_and_are_recorded():
    body = Body.named("biped29")
    world = World(Scene.of(body))
    seen = []
    cues = [
        Cue(0.05, "later", lambda here: seen.append(here.time)),
        Cue(0.0, "first", lambda here: seen.append(here.time)),
    ]
    result = perform(world, named_controller("hold"), named_motion("stand", body), seconds=0.1, cues=cues)
    assert seen == pytest.approx([0.0, 0.05])
    assert [event["name"] for event in result.recording.meta["events"]] == ["first", "later"]


@pytest.mark.parametrize("time", [-1.0, np.nan, np.inf])
def test_cues_at_impossible_times_are_refused(time):
    with pytest.raises(PoiseError, match="cue 'x'"):
        Cue(time, "x", print)
