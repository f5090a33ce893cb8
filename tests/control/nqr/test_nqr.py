"""The controller: performances, the parts of the method that they need, and refused input."""

import numpy as np
import pytest

from poise.body.body import Body
from poise.body.link_kinematics import LinkKinematics
from poise.body.pose_space import PoseSpace
from poise.control.nqr.nqr import Nqr, NqrSettings
from poise.edit.limbs import chain_joints
from poise.errors import PoiseError
from poise.library.motions import named_motion, shipped_dynamic
from poise.measure.metrics import fell_at
from poise.performance.run import Run
from poise.performance.stage import perform
from poise.performance.start import place_at_start
from poise.reference.played import Played, cycle_from_step
from poise.rotations import yaw_of
from poise.world.props import Ball
from poise.world.pushes import parse_push
from poise.world.scene import Scene
from poise.world.settings import WorldSettings
from poise.world.terrain_kinds import parse_terrain
from poise.world.world import World

PAPER = {"effort": "size", "force": 1.0, "planted": 0.0}
"""Weights as in [Muico2009]."""


@pytest.fixture(scope="module")
def body():
    return Body.named("biped29")


def performed(body, motion, seconds, **settings):
    world = World(Scene.of(body))
    return perform(world, Nqr(NqrSettings(**settings)), named_motion(motion, body), seconds=seconds, noise=0.02)


def strayed(recording):
    """Root-mean-square deviation (rad) of the joints from the motion's."""
    return float(np.sqrt(np.mean((recording.qpos[:, 7:] - recording.reference_qpos[:, 7:]) ** 2)))


@pytest.mark.parametrize(("motion", "seconds"), [("walk", 3.0), ("run", 2.0), ("turn-45", 3.0), ("turn-180", 3.0)])
def test_it_performs_without_a_fall_and_every_contact_is_solved(body, motion, seconds):
    recording = performed(body, motion, seconds).recording
    assert recording.steps == round(120 * seconds)
    assert fell_at(recording) is None
    assert strayed(recording) < 0.05
    assert recording.meta["solver"]["approximate"] == 0


def walked(body, terrain, seconds=5.0, **settings):
    """A shipped walk over a terrain, from the same noisy start."""
    world = World(Scene.of(body, terrain))
    start_ = cycle_from_step(shipped_dynamic("walk", "biped29"), 0)
    return perform(world, Nqr(NqrSettings(**settings)), start_, seconds=seconds, noise=0.02).recording


def frames_tracked(recording, clip):
    """(T,) frames of a cycle performed from its first frame on; each cycle ends with its last frame."""
    steps = np.arange(len(recording.reference_qpos))
    return np.where(steps > 0, (steps - 1) % (clip.frames - 1) + 1, 0)


def height_over(recording, terrain):
    """Height (m) of the root above the ground at the end."""
    x, y, z = recording.qpos[-1, :3]
    return z - parse_terrain(terrain).height(x, y)


@pytest.mark.parametrize("terrain", ["stairs:0.04:0.7:12", "stairs:0.02:0.7:12", "slope:3"])
def test_it_walks_up_ground_that_it_sees_and_falls_on_ground_that_it_feels(body, terrain):
    seen, felt = (walked(body, terrain, ground=ground) for ground in ("seen", "felt"))
    assert fell_at(seen) is None
    assert seen.qpos[-1, 0] > 5.0
    assert height_over(seen, terrain) == pytest.approx(0.9, abs=0.08)
    assert fell_at(felt) < 2.0


@pytest.mark.parametrize("ground", ["seen", "felt"])
@pytest.mark.parametrize("terrain", ["stairs:-0.06:1:12", "drop:0.04", "rough:0.03"])
def test_it_walks_down_and_over_bumps_with_and_without_sight(body, terrain, ground):
    recording = walked(body, terrain, ground=ground)
    assert fell_at(recording) is None
    assert recording.qpos[-1, 0] > 5.0
    assert height_over(recording, terrain) == pytest.approx(0.9, abs=0.08)


@pytest.mark.parametrize("motion", ["walk", "turn-45"])
def test_on_level_ground_the_motion_itself_is_tracked(body, motion):
    """No leg is adjusted: the target has the joints and the height of the motion."""
    clip = shipped_dynamic(motion, "biped29").clip
    recording = performed(body, motion, 3.0).recording
    frames = frames_tracked(recording, clip)
    np.testing.assert_array_equal(recording.reference_qpos[:, 7:], clip.qpos[frames, 7:])
    np.testing.assert_allclose(recording.reference_qpos[:, 2], clip.qpos[frames, 2], atol=1e-12)


def test_the_target_differs_from_the_motion_only_in_the_legs(body):
    """While a step of 4 cm is climbed, and afterwards."""
    recording, clip = walked(body, "drop:-0.04", 3.0), shipped_dynamic("walk", "biped29").clip
    frames = frames_tracked(recording, clip)
    bent = np.abs(PoseSpace(body).difference(clip.qpos[frames], recording.reference_qpos)[:, 6:])
    legs = [dof - 6 for foot in body.feet for joint in chain_joints(body, foot.link) for dof in joint.dofs]
    assert bent[:, legs].max() > 0.1
    assert np.delete(bent, legs, axis=1).max() < 1e-12
    soles = LinkKinematics(body, [(foot.link, foot.points.mean(axis=0)) for foot in body.feet])
    raised = (soles.at(recording.reference_qpos)[0] - soles.at(clip.qpos[frames])[0])[..., 2]
    np.testing.assert_allclose(raised[0], 0.0, atol=1e-9)
    np.testing.assert_allclose(raised[-1], 0.04, atol=0.002)
    assert raised.max() > 0.05


def test_it_is_passive_after_a_fall(body):
    world = World(Scene.of(body))
    push = parse_push("900@0.2,duration=0.3,dir=90")
    recording = perform(
        world, Nqr(), cycle_from_step(shipped_dynamic("walk", "biped29"), 0), seconds=3.0, pushes=[push]
    ).recording
    assert fell_at(recording) is not None
    assert not recording.torque[-60:].any()


def test_motions_with_grips_are_refused(body):
    with pytest.raises(PoiseError, match="hang holds on to something"):
        Nqr().reset(World(Scene.of(body)), named_motion("hang", body))


def test_it_goes_where_the_motion_goes(body):
    straight, turned = (performed(body, motion, 2.1).recording.qpos[-1] for motion in ("walk", "turn-90"))
    assert straight[0] > 2.0
    assert abs(yaw_of(straight[3:7])) < 0.2
    assert yaw_of(turned[3:7]) == pytest.approx(np.pi / 2, abs=0.2)


def test_without_adaptation_it_strays_further(body):
    without, adapting = (performed(body, "walk", 3.0, gamma=gamma, **PAPER).recording for gamma in (0.0, 0.02))
    assert strayed(without) > 1.3 * strayed(adapting)


def test_one_cycle_is_not_enough_with_the_weights_of_the_paper(body):
    short, enough = (performed(body, "walk", 5.0, cycles=cycles, gamma=0.02, **PAPER).recording for cycles in (1, 0))
    assert fell_at(short) is not None
    assert fell_at(enough) is None


def test_it_begins_anywhere_in_a_cycle(body):
    motion = shipped_dynamic("walk", "biped29")
    recording = perform(World(Scene.of(body)), Nqr(), Played(motion.clip, motion, 0.4), seconds=1.0).recording
    assert strayed(recording) < 0.02


def test_contact_feedback_acts_within_the_contact_solve(body):
    world, controller = World(Scene.of(body)), Nqr()
    reference = named_motion("walk", body)
    place_at_start(world, reference, 0, 0.0)
    controller.reset(world, reference)
    shares = []
    for _ in range(60):
        actuation = controller.act(world.state)
        made = world.step(actuation)
        adapted = actuation.feedback @ made.impulse.ravel()
        shares.append(np.abs(adapted).max())
        np.testing.assert_allclose(made.torque, actuation.torque + adapted, atol=1e-9)
    assert max(shares) > 5.0  # N m


@pytest.mark.parametrize(("motion", "then"), [("start", "walk"), ("stop", "stand")])
def test_a_transition_leads_into_what_follows(body, motion, then):
    reference, controller = named_motion(motion, body), Nqr()
    run = Run(World(Scene.of(body)), controller, reference)
    assert controller.segment.motion.clip.name == motion
    for _ in range(round(120 * (reference.duration + 1.0))):
        run.step()
    assert controller.segment.motion.clip.name == then
    recording = run.take().recording
    assert fell_at(recording) is None
    speed = np.linalg.norm(recording.qpos[-1, :2] - recording.qpos[-61, :2]) / 0.5  # m/s
    assert speed > 0.8 if then == "walk" else speed < 0.05


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"gamma": -1.0}, "gamma"), ({"gamma": float("nan")}, "gamma"), ({"gamma": float("inf")}, "gamma"),
        ({"force": -0.1}, "force"), ({"planted": float("nan")}, "planted"), ({"relocate": 1.1}, "relocate"),
        ({"cycles": -1}, "cycles"), ({"law": "cubic"}, "law"), ({"effort": "none"}, "effort"),
    ],
)  # fmt: skip
def test_bad_settings_are_refused_in_one_line(settings, name):
    with pytest.raises(PoiseError, match=rf"^nqr: {name} [^\n]*$"):
        NqrSettings(**settings)


def test_it_performs_in_a_scene_with_props(body):
    """The scene has more degrees of freedom than the body."""
    ball = Ball("ball", radius=0.1, mass=1.0, at=(5.0, 5.0, 0.1))
    walk = named_motion("walk", body)
    alone, among = (
        perform(World(Scene.of(body, props=props)), Nqr(), walk, seconds=0.5).recording for props in ((), (ball,))
    )
    np.testing.assert_allclose(among.qpos[:, : body.nq], alone.qpos, atol=1e-6)


def test_a_motion_at_another_rate_than_the_worlds_is_refused_in_one_line(body):
    world = World(Scene.of(body), WorldSettings(step=1 / 60))
    with pytest.raises(PoiseError, match=r"^nqr: walk has 120 states a second, the world 60 steps[^\n]*$"):
        Nqr().reset(world, named_motion("walk", body))


def test_a_motion_without_physics_is_refused_in_one_line(body):
    clip = Played(shipped_dynamic("walk", "biped29").clip)
    with pytest.raises(PoiseError, match=r"^nqr needs a motion that obeys physics: poise prepare [^\n]*$"):
        Nqr().reset(World(Scene.of(body)), clip)
