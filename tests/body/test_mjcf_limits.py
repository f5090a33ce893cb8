"""MJCF that would exhaust memory or time, or that reads files elsewhere: refused before MuJoCo compiles it."""

import numpy as np
import pytest

from poise.body.body import Body
from poise.body.mjcf import MOST_DOFS, check_mjcf, parse_mjcf
from poise.errors import PoiseError

ROOT = '<freejoint/><geom size=".1"/>'


def character(inside="", assets="", after=""):
    return (
        f'<mujoco><asset>{assets}</asset><worldbody><body name="base">{ROOT}{inside}</body></worldbody>{after}</mujoco>'
    )


def nested(count, first, last):
    return first * count + last * count


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (character(assets='<hfield name="h" nrow="2000000000" ncol="2" size="1 1 1 1"/>'), "hfield 'h'.* samples"),
        (character('<replicate count="2000000"><geom size=".1"/></replicate>'), "replicate .*more than 10000 elements"),
        (character(nested(5, '<replicate count="10">', "</replicate>")), "more than 10000 elements"),
        (character(nested(3000, "<frame>", "</frame>")), "nested more than 200 deep"),
        (character('<flexcomp name="f" count="1000 1000 1000" type="grid"/>'), "flexcomp 'f'"),
        (character(after='<actuator><general actdim="2000000000"/></actuator>'), "samples"),
        (character(assets='<mesh name="m" file="/etc/passwd"/>'), "only files below its folder"),
        (character(assets='<mesh name="m" file="../m.stl"/>'), "not a file in the folder of the MJCF file or below"),
        ('<mujoco><include file="/etc/passwd"/></mujoco>', "'/etc/passwd' is not a file in the folder"),
        ('<mujoco><include file="a\x01b"/></mujoco>'.replace("\x01", "&#9;"), "not a file in the folder"),
        (character(assets='<model name="m" file="m.xml"/>'), "'m.xml' is not a file in the folder"),
        ('<!DOCTYPE m [<!ENTITY a "b">]><mujoco/>', "defines XML entities"),
        ("<mujoco>" + " " * 2**24 + "</mujoco>", "larger than 16 MB"),
        (character('<replicate count="many"><geom size=".1"/></replicate>'), 'count="many", which is not a number'),
    ],
)  # fmt: skip
def test_what_is_too_much_is_refused(text, message):
    with pytest.raises(PoiseError, match=message):
        Body.from_mjcf(text)


def test_a_body_has_a_bounded_number_of_degrees_of_freedom():
    links = "".join(f'<body name="b{k}"><joint type="ball"/><geom size=".1"/></body>' for k in range(MOST_DOFS // 3))
    with pytest.raises(PoiseError, match=f"at most {MOST_DOFS} are possible"):
        Body.from_mjcf(character(links))


def test_includes_are_read_below_the_folder_and_once(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/body.xml").write_text(character())
    (tmp_path / "whole.xml").write_text('<mujoco><include file="parts/body.xml"/></mujoco>')
    assert Body.from_mjcf(tmp_path / "whole.xml").links == ("base",)
    (tmp_path / "itself.xml").write_text('<mujoco><include file="itself.xml"/></mujoco>')
    with pytest.raises(PoiseError, match=r"includes 'itself\.xml', which is included already"):
        Body.from_mjcf(tmp_path / "itself.xml")
    (tmp_path / "parts/up.xml").write_text('<mujoco><include file="../../secret.xml"/></mujoco>')
    (tmp_path / "whole.xml").write_text('<mujoco><include file="parts/up.xml"/></mujoco>')
    with pytest.raises(PoiseError, match="is not a file in the folder"):
        Body.from_mjcf(tmp_path / "whole.xml")


def test_meshes_in_a_folder_below_are_read(tmp_path):
    (tmp_path / "meshes").mkdir()
    tetrahedron = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    faces = ((1, 3, 2), (1, 2, 4), (2, 3, 4), (3, 1, 4))
    lines = [f"v {x} {y} {z}" for x, y, z in tetrahedron] + [f"f {a} {b} {c}" for a, b, c in faces]
    (tmp_path / "meshes/part.obj").write_text("\n".join(lines))
    text = character(
        '<geom type="mesh" mesh="part" mass="1"/>', '<mesh file="part.obj"/>', '<compiler meshdir="meshes"/>'
    )
    (tmp_path / "body.xml").write_text(text)
    assert 'type="box"' in Body.from_mjcf(tmp_path / "body.xml").mjcf


def test_muscles_are_not_simulated():
    """MuJoCo's search for the range of lengths of this muscle does not end."""
    arm = '<body name="arm"><joint name="a"/><geom type="cylinder" size=".1 .2" mass="255"/></body>'
    assert Body.from_mjcf(character(arm, after='<actuator><muscle joint="a"/></actuator>')).links == ("base", "arm")


@pytest.mark.parametrize("part", ["<include file='x'/>", "<asset><mesh file='x.obj'/></asset>", "<extension/>",
                                  "<actuator><muscle joint='a'/></actuator>", "<size memory='9G'/>"])  # fmt: skip
def test_the_model_of_a_recording_needs_no_files_and_no_simulation(part):
    with pytest.raises(PoiseError):
        check_mjcf(parse_mjcf(f"<mujoco>{part}</mujoco>", "x"), "x")
