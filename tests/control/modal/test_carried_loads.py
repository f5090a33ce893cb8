"""Known loads: they add to the body's mass, and are planned for before they are taken up."""

import mujoco
import numpy as np
import pytest

from poise import Body, Scene, World, named_motion
from poise.control.modal.frames import CarriedMass, ModalLoads, ModalWindowFrames
from poise.control.modal.horizon import ModalHorizon
from poise.control.modal.modes import Modes, modes_at
from poise.errors import PoiseError

STEP, GRAVITY, HEAVY = 1 / 120, 9.81, 10.0
TAKEN = 6
"""HEAVY: load (kg) in both hands; TAKEN: frame in which it is taken up."""


@pytest.fixture(scope="module")
def body():
    return Body.named("human42")


def _frames(body, loaded=True):
    loads = (
        [CarriedMass(hand.link, HEAVY / 2, TAKEN * STEP, tuple(hand.point)) for hand in body.hands] if loaded else []
    )
    return ModalWindowFrames(
        body, named_motion("squat", body), STEP, loads
    )  # which stands for the first quarter of a second


def test_contact_forces_include_a_load_once_it_is_taken_up(body):
    plain = ModalHorizon(_frames(body, loaded=False), 12, body.mass, GRAVITY, STEP).at(0)
    laden = ModalHorizon(_frames(body), 12, body.mass, GRAVITY, STEP).at(0)
    newtons = (body.mass + HEAVY) * GRAVITY * laden.force.sum(axis=1)
    alone = body.mass * GRAVITY * plain.force.sum(axis=1)
    np.testing.assert_allclose(newtons[:TAKEN], alone[:TAKEN], atol=3e-3 * body.mass * GRAVITY)
    np.testing.assert_allclose((newtons - alone)[TAKEN:, 2], HEAVY * GRAVITY, rtol=1e-2)
    assert not laden.load_wrench[TAKEN:].any()
    np.testing.assert_allclose(laden.load_wrench[0, 2], HEAVY / (body.mass + HEAVY))  # support of the load until then


def test_a_load_is_planned_for_as_soon_as_it_is_in_the_window(body):
    ahead = ModalHorizon(_frames(body), TAKEN - 2, body.mass, GRAVITY, STEP)
    alone = ahead.at(0).com.copy()
    hands = np.mean(_hands(body), axis=0)
    whole = (body.mass * alone[0] + HEAVY * hands) / (body.mass + HEAVY)
    np.testing.assert_allclose(ahead.at(2).com[0], whole, atol=1e-4)
    assert np.linalg.norm(alone[0] - whole) > 0.01


def _hands(body):
    data = mujoco.MjData(body.model)
    data.qpos[:] = named_motion("squat", body).at(TAKEN * STEP).qpos
    mujoco.mj_kinematics(body.model, data)
    links = [body.link_id(hand.link) for hand in body.hands]
    return [data.xpos[k] + data.xmat[k].reshape(3, 3) @ hand.point for k, hand in zip(links, body.hands, strict=True)]


def test_the_body_leans_away_from_a_load_that_its_feet_cannot_balance(body):
    far = [CarriedMass("pelvis", 40.0, 0.0, (0.5, 0.0, 0.0))]
    for loads, least, most in (([], -1e-4, 1e-4), (far, -0.2, -0.02)):
        frames = ModalWindowFrames(body, named_motion("squat", body), STEP, loads)
        window = ModalHorizon(frames, 12, body.mass, GRAVITY, STEP).at(0)
        assert least < window.lean[-1, 0] < most
        assert np.abs(window.lean[:, 1:]).max() < 1e-3


def test_a_carried_load_adds_weight_and_inertia(body):
    frames, world = _frames(body), World(Scene.of(body))
    laden, state = ModalLoads(world.model, body.nv, frames), world.state
    before, after = frames.at(0), frames.at(TAKEN)
    mass, bias = laden.equation_terms(state, after)
    assert mass[0, 0] == pytest.approx(body.mass + HEAVY)
    assert bias[2] == pytest.approx((body.mass + HEAVY) * GRAVITY)
    np.testing.assert_array_equal(laden.equation_terms(state, before)[0], state.mass[: body.nv, : body.nv])
    whole = laden.composite_inertia(state, after, after.load_mass)
    data = state.data
    modes = Modes(*modes_at(mass, np.ones(body.nv - 6), whole.com, data.xpos[1], data.xmat[1].reshape(3, 3)))
    rigid = modes.basis.T @ mass[:6, :6] @ modes.basis
    np.testing.assert_allclose(whole.inertia, rigid[3:, 3:], atol=1e-9)


@pytest.mark.parametrize(
    "wrong", [{"mass": 0.0}, {"mass": float("nan")}, {"since": -1.0}, {"point": (0.0, np.nan, 0.0)}]
)
def test_impossible_loads_are_refused(wrong):
    with pytest.raises(PoiseError, match="load"):
        CarriedMass(**{"link": "left_hand", "mass": 5.0, "since": 1.0, **wrong})
