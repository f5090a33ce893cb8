"""Terrain: its heights are those of the compiled scene, and its short forms are read or refused."""

import math

import mujoco
import numpy as np
import pytest
from hypothesis import assume, example, given, strategies as st

from poise import Body, PoiseError, Scene, World, named_motion
from poise.forms import TERRAIN_FORMS
from poise.performance.start import place_at_start
from poise.world.terrain_kinds import Platforms, Rough, parse_terrain, read_terrain_file

SHORT = (
    "flat",
    "slope:12",
    "slope:-35",
    "slope:0",
    "stairs:0.15:0.3:8",
    "stairs:-0.15:0.3:8",
    "stairs:0.2:0.4:1",
    "stairs:-0.2:0.4:1",
    "drop:0.3",
    "drop:-0.3",
    "drop:0.04:0.8",
    "drop:-0.04:0.8",
    "hurdle:0.15",
    "hurdle:0.1:1.2",
    "rough:0.1",
    "rough:0.1:7",
    "spiral:0.04:45:3.4:6",
    "spiral:0.3:60:1.5:5",
    "spiral:0.1:20:3:1",
)
GAPS = """
base = -0.5
[[platform]]
x = [-3, 1]
y = [-1, 1]
z = 0
[[platform]]
x = [1.5, 4]
y = [-1, 2]
z = 0.25
[[platform]]
x = [0.5, 2]
y = [-0.5, 0.5]
z = 0.1
"""


def cast_down(model, x, y):
    """Height of the first surface below a high point, by MuJoCo."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    top, hit = 50.0, np.array([-1], np.int32)
    distance = mujoco.mj_ray(model, data, np.array([x, y, top]), np.array([0.0, 0, -1]), None, 1, -1, hit)
    assert hit[0] >= 0
    return top - distance


def compare(terrain, tolerance, seed=0, count=60):
    model = Scene((), terrain).model
    random = np.random.default_rng(seed)
    x, y = random.uniform(-3, 9, count), random.uniform(-3, 3, count)
    found = np.array([cast_down(model, *place) for place in zip(x, y, strict=True)])
    np.testing.assert_allclose(terrain.heights(x, y), found, rtol=0, atol=tolerance)
    return set(np.round(found, 3))


@pytest.mark.parametrize("text", SHORT)
def test_a_terrain_knows_its_short_form(text):
    assert str(parse_terrain(text)) == text


@pytest.mark.parametrize("text", SHORT)
def test_heights_are_those_of_the_compiled_scene(text):
    rough = text.startswith("rough")
    seen = compare(parse_terrain(text), 1e-6 if rough else 1e-9, count=150 if rough else 60)
    assert len(seen) > (1 if text not in ("flat", "slope:0") else 0)  # the points did meet different heights


@given(
    st.sampled_from(SHORT),
    st.lists(st.tuples(st.floats(-30, 30), st.floats(-30, 30)), max_size=12),
)
def test_many_heights_are_those_of_each_place(text, places):
    terrain = parse_terrain(text)
    x, y = np.array(places).reshape(-1, 2).T
    np.testing.assert_array_equal(terrain.heights(x, y), [terrain.height(*place) for place in places])


TURNED = Platforms(
    ((0.0, 1.0, -0.5, 0.5, 0.2), (1.0, 2.0, -2.0, 2.0, -0.1), (-2.0, 0.3, 0.0, 1.0, 0.4)),
    base=-0.3,
    turns=(0.4, -1.3, 2.5),
    pivot=0.5 - 0.2j,
)


@given(st.floats(-3, 3), st.floats(-3, 3))
def test_on_turned_platforms_a_place_is_as_high_as_the_highest_that_it_is_on(x, y):
    """Each seen from its own axes, with matrices."""
    levels, pivot = [TURNED.base], np.array([0.5, -0.2])
    for (x0, x1, y0, y1, z), turn in zip(TURNED.tops, TURNED.turns, strict=True):
        c, s = math.cos(turn), math.sin(turn)
        own = pivot + np.array([[c, s], [-s, c]]) @ (np.array([x, y]) - pivot)
        margin = min(abs(own[0] - x0), abs(own[0] - x1), abs(own[1] - y0), abs(own[1] - y1))
        assume(margin > 1e-9)
        levels += [z] if x0 < own[0] < x1 and y0 < own[1] < y1 else []
    assert TURNED.height(x, y) == max(levels)


def test_turned_platforms_have_the_heights_of_their_scene():
    assert {-0.3, -0.1, 0.2, 0.4} <= compare(TURNED, 1e-9, count=300)


def test_a_file_of_platforms_has_the_heights_of_its_scene(tmp_path):
    path = tmp_path / "gaps.toml"
    path.write_text(GAPS)
    terrain = parse_terrain(str(path))
    assert {-0.5, 0.0, 0.1, 0.25} <= compare(terrain, 1e-9, count=200)
    assert terrain.height(-10, -10) == -0.5
    assert terrain.height(0.7, 0) == 0.1  # the higher of two that overlap


@pytest.mark.parametrize("text", SHORT)
def test_the_summit_is_on_the_ground(text):
    terrain = parse_terrain(text)
    place = terrain.summit()
    assert place.z == pytest.approx(terrain.height(place.x, place.y), abs=1e-9)
    assert place.z == pytest.approx(cast_down(Scene((), terrain).model, place.x, place.y), abs=1e-6)


def test_the_summit_of_a_file_is_its_highest_platform(tmp_path):
    path = tmp_path / "gaps.toml"
    path.write_text(GAPS)
    place = read_terrain_file(path).summit()
    assert (place.x, place.y, place.z) == (2.75, 0.5, 0.25)


@pytest.mark.parametrize("text", ["stairs:0.15:0.3:8", "stairs:-0.15:0.3:8", "slope:12", "slope:-12", "drop:0.3"])
def test_the_summit_faces_down(text):
    terrain = parse_terrain(text)
    place = terrain.summit()
    ahead = [terrain.height(place.x + r * math.cos(place.yaw), place.y + r * math.sin(place.yaw)) for r in (0.4, 2.0)]
    assert ahead[0] < place.z
    assert ahead[1] <= ahead[0]


def test_stairs_have_their_rise_run_and_count():
    up, down = parse_terrain("stairs:0.2:0.5:3"), parse_terrain("stairs:-0.2:0.5:3")
    x = np.array([0.0, 0.59, 0.61, 1.09, 1.11, 1.59, 1.61, 8.0])
    np.testing.assert_allclose([up.height(v, 0) for v in x], [0, 0, 0.2, 0.2, 0.4, 0.4, 0.6, 0.6], atol=1e-12)
    np.testing.assert_allclose([down.height(v, 0) for v in x], [0, 0, -0.2, -0.2, -0.4, -0.4, -0.6, -0.6], atol=1e-12)


def test_a_drop_falls_once_or_again_and_again():
    once, often, climb = (parse_terrain(text) for text in ("drop:0.3", "drop:0.1:0.5", "drop:-0.1:0.5"))
    x = [0.0, 0.61, 1.11, 5.0]
    np.testing.assert_allclose([once.height(v, 0) for v in x], [0, -0.3, -0.3, -0.3], atol=1e-12)
    np.testing.assert_allclose([often.height(v, 0) for v in x], [0, -0.1, -0.2, -0.9], atol=1e-12)
    np.testing.assert_allclose([climb.height(v, 0) for v in x], [0, 0.1, 0.2, 0.9], atol=1e-12)


def test_a_hurdle_stands_once_or_again_and_again():
    once, often = (parse_terrain(text) for text in ("hurdle:0.15", "hurdle:0.1:1.5"))
    x = [0.0, 1.99, 2.01, 2.09, 2.11, 3.55]
    np.testing.assert_allclose([once.height(v, 0) for v in x], [0, 0, 0.15, 0.15, 0, 0], atol=1e-12)
    np.testing.assert_allclose([often.height(v, 0) for v in x], [0, 0, 0.1, 0.1, 0, 0.1], atol=1e-12)


def test_a_spiral_falls_by_its_height_at_each_multiple_of_its_angle_wherever_one_walks():
    terrain = parse_terrain("spiral:0.04:45:3.4:6")
    for radius in (1.5, 3.4, 5.3):
        for degrees in np.arange(-10.0, 300.0):
            angle = math.radians(degrees + 0.5)
            x, y = radius * math.sin(angle), 3.4 - radius * math.cos(angle)
            fallen = min(max(math.floor((degrees + 0.5) / 45), 0), 6)
            assert terrain.height(x, y) == pytest.approx(-0.04 * fallen, abs=1e-12), (radius, degrees)


def test_rough_ground_lies_in_the_midst_of_level_ground():
    """Rolls of 15 s used to fall off its far edge, 20 m ahead."""
    terrain = parse_terrain("rough:0.1:3")
    model = Scene((), terrain).model
    for x, y in ((19.7, 3.0), (19.95, -2.0), (20.1, 0.5), (40.0, 1.0), (-4.2, 0.0), (8.0, 12.5), (25.0, -30.0)):
        assert terrain.height(x, y) == pytest.approx(cast_down(model, x, y), abs=1e-6)
        assert abs(terrain.height(x, y)) < 0.06
    assert terrain.height(19.95, -2.0) == 0.0
    assert terrain.height(20.1, 0.5) == Rough.BESIDE


def test_rough_ground_keeps_its_amplitude_and_follows_its_seed():
    points = [(x, y) for x in np.linspace(-3, 15, 90) for y in np.linspace(-8, 8, 60)]
    one, again, two = (parse_terrain(text) for text in ("rough:0.2:1", "rough:0.2:1", "rough:0.2:2"))
    heights, same, others = (np.array([t.height(*p) for p in points]) for t in (one, again, two))
    np.testing.assert_array_equal(heights, same)
    assert np.abs(heights - others).max() > 0.05
    assert 0.1 < np.abs(heights).max() <= 0.2
    assert one.height(0.0, 0.0) == one.height(0.2, -0.2) == 0.0  # level where the character starts


@pytest.mark.parametrize("text", SHORT)
@pytest.mark.parametrize("motion", ["stand", "fall"])
def test_a_body_starts_on_the_ground_neither_sunk_in_nor_hovering(text, motion):
    body = Body.named("lamp14")
    world = World(Scene.of(body, parse_terrain(text)))
    place_at_start(world, named_motion(motion, body), 0, 0.0)
    gaps = world.state.contacts.gap
    assert gaps.min() == pytest.approx(0.0, abs=2e-4)


# -- what is refused ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "flat:1", "slope", "slope:", "slope:x", "slope:nan", "slope:inf", "slope:80", "slope:1:2", "stairs:0.1:0.3",
        "stairs:0:0.3:3", "stairs:0.1:0:3", "stairs:0.1:-0.3:3", "stairs:0.1:0.3:0", "stairs:0.1:0.3:2.5",
        "stairs:0.1:0.3:-1", "stairs:0.1:0.3:1e9", "stairs:nan:0.3:3", "rough", "rough:0", "rough:-1", "rough:0.1:1.5",
        "rough:0.1:-1", "rough:0.1:1:1", "rough:nan", "drop", "drop:0", "drop:1:0", "drop:1:-1", "drop:nan",
        "drop:1:2:3", "hurdle", "hurdle:0", "hurdle:-0.1", "hurdle:0.1:0.1", "hurdle:0.1:1:1",
        "spiral", "spiral:0.1:45:3", "spiral:0:45:3:2", "spiral:-0.1:45:3:2", "spiral:0.1:0:3:2",
        "spiral:0.1:61:3:2", "spiral:0.1:45:0:2", "spiral:0.1:45:3:0", "spiral:0.1:45:3:1.5", "spiral:0.1:45:3:7",
        "spiral:nan:45:3:2",
    ],
)  # fmt: skip
def test_malformed_short_forms_are_refused_with_the_right_form(text):
    kind = text.split(":")[0]
    with pytest.raises(PoiseError) as caught:
        parse_terrain(text)
    assert f"'{text}'" in str(caught.value)
    assert " ".join(TERRAIN_FORMS[kind]) in str(caught.value)


@pytest.mark.parametrize("text", ["rough:1e300", "rough:1e-300", "drop:1e300", "stairs:1e300:1:3", "drop:1:1e-300"])
def test_absurd_sizes_are_refused_or_simulated(text):
    try:
        world = World(Scene.of("lamp14", parse_terrain(text)))
    except PoiseError:
        return
    world.step()
    assert np.isfinite(world.qpos).all()


@pytest.mark.parametrize("text", ["", "lava", "Flat", "stair:0.1:0.3:3"])
def test_unknown_terrains_are_refused_with_the_choices(text):
    with pytest.raises(PoiseError, match=r"unknown terrain.*Valid: drop, flat, hurdle, rough, slope, spiral, stairs"):
        parse_terrain(text)


def read(text):
    """The terrain, or the message of the refusal."""
    try:
        return parse_terrain(text)
    except PoiseError as error:
        return str(error)


def reads_or_refuses(text):
    found = read(text)
    if isinstance(found, str):
        assert len(found.splitlines()) == 1
    else:
        assert math.isfinite(found.height(1.0, 0.5))


@given(st.text())
@example("a\x00/b")
@example("x\ny")
def test_any_text_is_read_or_refused_in_one_line(text):
    reads_or_refuses(text)


@given(
    st.sampled_from([*TERRAIN_FORMS, "", "x.toml", "/", "."]),
    st.lists(
        st.floats(-50, 50).map(repr) | st.integers(-5, 300).map(str) | st.sampled_from(["nan", "inf", "", "é"]),
        max_size=4,
    ),
)
def test_anything_like_a_short_form_is_read_or_refused_in_one_line(kind, parts):
    reads_or_refuses(":".join([kind, *parts]))


PLATFORM = "[[platform]]\nx = [0, 1]\ny = [0, 1]\nz = 1\n"


@pytest.mark.parametrize(
    "text",
    [
        "", "x = ", "platform = 3", 'platform = "x"', "platform = [3]", "[platform]\nx = [0, 1]", "[[platform]]",
        "[[platform]]\nx = [0, 1]\ny = [0, 1]", "[[platform]]\nx = 0\ny = [0, 1]\nz = 1",
        "[[platform]]\nx = [0, 1, 2]\ny = [0, 1]\nz = 1", "[[platform]]\nx = [0, 1]\ny = [0, 1]\nz = [1]",
        "[[platform]]\nx = [1, 0]\ny = [0, 1]\nz = 1", "[[platform]]\nx = [0, 1]\ny = [0, 0]\nz = 1",
        "[[platform]]\nx = [0, inf]\ny = [0, 1]\nz = 1", "[[platform]]\nx = [0, 1]\ny = [0, 1]\nz = nan",
        '[[platform]]\nx = ["a", 1]\ny = [0, 1]\nz = 1', '[[platform]]\nx = "01"\ny = [0, 1]\nz = 1',
        'base = "low"\n' + PLATFORM, "base = nan\n" + PLATFORM, "base = [1]\n" + PLATFORM, "base = inf\n" + PLATFORM,
    ],
)  # fmt: skip
def test_bad_files_are_refused_in_one_line_with_their_name(text, tmp_path):
    path = tmp_path / "ground.toml"
    path.write_text(text)
    with pytest.raises(PoiseError, match=r"ground\.toml") as caught:
        parse_terrain(str(path))
    assert len(str(caught.value).splitlines()) == 1


def test_unreadable_files_are_refused(tmp_path):
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    for name in ("gone.toml", "binary.toml", "."):
        with pytest.raises(PoiseError, match=r"cannot read|not a TOML file"):
            parse_terrain(str(tmp_path / name) + ("/" if name == "." else ""))
