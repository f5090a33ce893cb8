"""Something to carry is part of its link: mass, centre and inertia as of two rigid bodies that are one."""

from xml.etree import ElementTree as ET

import mujoco
import numpy as np
import pytest

from bodies import body_of
from poise.body.body import Body
from poise.body.load import DENSITY, parse_body_load
from poise.body.surface import lowest_geom_height
from poise.errors import PoiseError
from poise.rotations import mirror_vector
from poise.world.scene import Scene

HANDED = ("human58", "biped29", "cmu")


def at_zero(body):
    """The body in its zero pose, turned and lifted a little."""
    data = mujoco.MjData(body.model)
    data.qpos[:3] = (0.3, -0.2, 1.0)
    mujoco.mj_forward(body.model, data)
    return data


def mass_matrix(model, qpos):
    data, out = mujoco.MjData(model), np.zeros((model.nv, model.nv))
    data.qpos[:] = qpos
    mujoco.mj_forward(model, data)
    mujoco.mj_fullM(model, data, out)
    return out


def welded(body, link, box):
    """The model with the box of a loaded one as a link of its own, which MuJoCo welds on."""
    tree = ET.fromstring(body.mjcf)
    parent = next(each for each in tree.iter("body") if each.get("name") == link)
    mass, pos, quat, half = box
    a, b, c = half
    inertia = np.array([b * b + c * c, a * a + c * c, a * a + b * b]) * mass / 3
    text = lambda values: " ".join(map(repr, map(float, values)))  # noqa: E731
    child = ET.SubElement(parent, "body", name="box", pos=text(pos), quat=text(quat))
    ET.SubElement(child, "inertial", pos="0 0 0", mass=repr(mass), diaginertia=text(inertia))
    return mujoco.MjModel.from_xml_string(ET.tostring(tree, encoding="unicode"))


@pytest.mark.parametrize("name", HANDED)
def test_masses_add_up_and_all_else_stays(name):
    body = body_of(name)
    other = body.loaded({"right_hand": 15.0, "left_foot": 2.0})
    assert other.mass == pytest.approx(body.mass + 17.0)
    same = [body.link_id(link) for link in body.links if link not in ("right_hand", "left_foot")]
    for numbers in ("body_mass", "body_inertia", "body_ipos", "body_pos"):
        np.testing.assert_array_equal(getattr(other.model, numbers)[same], getattr(body.model, numbers)[same])
    np.testing.assert_array_equal(other.standing, body.standing)
    np.testing.assert_array_equal(other.torque_limit, body.torque_limit)
    assert (other.name, other.links, other.dof_names) == (body.name, body.links, body.dof_names)
    assert lowest_geom_height(other.model, other.standing) == lowest_geom_height(body.model, body.standing)


def test_the_centre_of_mass_is_where_levers_balance():
    """A hand's box hangs just below the hand's point: half its height below, 0.64 of a cube's side."""
    body, mass = body_of("human58"), 15.0
    (hand,) = (each for each in body.hands if each.link == "right_hand")
    plain, laden = at_zero(body), at_zero(body.loaded({"right_hand": mass}))
    box = plain.body("right_hand").xpos + hand.point - [0.0, 0.0, 0.64 * (mass / 2000.0) ** (1 / 3)]
    expected = (body.mass * plain.subtree_com[1] + mass * box) / (body.mass + mass)
    np.testing.assert_allclose(laden.subtree_com[1], expected, atol=1e-12)


@pytest.mark.parametrize("link", ["right_hand", "left_thigh", "head"])
@pytest.mark.parametrize("name", HANDED)
def test_it_moves_as_a_box_that_is_welded_on(name, link):
    body = body_of(name)
    model = body.loaded({link: 12.0}).model
    box = model.geom(f"{link}_load")
    assert box.size.prod() * 8 * DENSITY == pytest.approx(12.0, rel=0.01)
    reference = welded(body, link, (12.0, box.pos, box.quat, box.size))
    qpos = np.array(body.standing)
    mujoco.mj_integratePos(model, qpos, 0.4 * np.sin(1.0 + 1.7 * np.arange(model.nv)), 1.0)
    np.testing.assert_allclose(mass_matrix(model, qpos), mass_matrix(reference, qpos), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", HANDED)
def test_left_is_right_mirrored(name):
    body = body_of(name)
    left, right = (at_zero(body.loaded({f"{side}_hand": 9.0})).subtree_com[1] for side in ("left", "right"))
    start = np.array([0.3, -0.2, 1.0])
    np.testing.assert_allclose(mirror_vector(left - start), right - start, atol=1e-9)
    both = body.loaded({"left_hand": 9.0, "right_hand": 9.0})
    assert at_zero(both).subtree_com[1][1] == pytest.approx(-0.2, abs=1e-9)
    np.testing.assert_array_equal(both.mirrored(both.standing), body.mirrored(body.standing))


def test_a_hands_box_touches_the_ground_but_not_its_body():
    model = Scene.of(body_of("human58").loaded({"right_hand": 15.0, "head": 3.0})).model
    box, on_head, shin = (model.geom(name) for name in ("right_hand_load", "head_load", "right_shank_shape"))
    ground = model.geom("ground")
    meet = lambda a, b: bool(a.contype & b.conaffinity or b.contype & a.conaffinity)  # noqa: E731
    assert meet(box, ground)
    assert not meet(box, shin)
    assert not meet(on_head, ground)


def test_loads_are_read():
    assert parse_body_load("right_hand=15") == ("right_hand", 15.0)
    for text in ("right_hand", "right_hand=", "right_hand=heavy"):
        with pytest.raises(PoiseError, match=f"'{text}' is not of the form LINK=KG"):
            parse_body_load(text)


@pytest.mark.parametrize(
    ("loads", "cause"),
    [
        ({"right_hnad": 5.0}, "unknown link 'right_hnad'. Did you mean 'right_hand'"),
        ({"right_hand": 0.0}, "load of 0.0 kg on 'right_hand'"),
        ({"right_hand": float("nan")}, "load of nan kg on 'right_hand'"),
        ({"right_hand": 1e4}, "'right_hand': must be above 0 and at most 1000 kg"),
    ],
)
def test_what_cannot_be_carried_says_so(loads, cause):
    with pytest.raises(PoiseError, match=cause):
        Body.named("human58").loaded(loads)


def test_a_link_carries_once_and_a_laden_body_keeps_its_size():
    laden = Body.named("human58").loaded({"right_hand": 5.0})
    with pytest.raises(PoiseError, match="'right_hand' carries a load already"):
        laden.loaded({"right_hand": 5.0})
    with pytest.raises(PoiseError, match="carries a load and cannot be scaled"):
        laden.scaled(legs=2.0)
