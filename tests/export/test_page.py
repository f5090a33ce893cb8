"""The page is one file, fetches nothing, holds the poses, and cannot be broken by what it shows."""

from __future__ import annotations

import base64
import json
import re
from html.parser import HTMLParser
from types import SimpleNamespace

import mujoco
import numpy as np
import pytest

from poise.errors import PoiseError
from poise.export.page import page_data, page_summary, write_page

STAIRS = "".join(
    f'<geom name="step{k}" type="box" size="0.15 1 0.05" pos="{1 + 0.3 * k} 0 {0.05 + 0.1 * k}"/>' for k in range(4)
)


def chain(depth: int) -> str:
    inner = chain(depth - 1) if depth else ""
    return (
        f'<body name="link{depth}" pos="0.1 0 0"><joint axis="0 1 0"/>'
        f'<geom type="capsule" fromto="0 0 0 0.1 0 0" size="0.03"/>{inner}</body>'
    )


def scene(depth: int = 5) -> str:
    return f"""<mujoco><option timestep="0.004"><flag contact="disable"/></option>
  <asset>
    <hfield name="bumps" nrow="3" ncol="4" size="2 2 0.2 0.1" elevation="0 1 0 1 0 1 0 1 0 1 0 1"/>
    <mesh name="wedge" vertex="0 0 0 0.2 0 0 0 0.2 0 0 0 0.2"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/><geom type="hfield" hfield="bumps" pos="0 8 0"/>{STAIRS}
    <body name="sign" pos="0 3 0" euler="0 0 90">
      <geom name="post" type="cylinder" size="0.1 0.5" pos="1 0 0"/>
    </body>
    <body name="trunk" pos="0 0 1"><freejoint/>
      <geom type="ellipsoid" size="0.1 0.2 0.1"/><geom name="skin" type="sphere" size="0.1" group="1"/>
      <geom name="helper" type="sphere" size="0.5" group="3"/>{chain(depth)}
    </body>
    <body name="crate" pos="2 2 0.5"><freejoint/>
      <geom type="mesh" mesh="wedge" rgba="0.1 0.2 0.3 0.5"/>
    </body>
  </worldbody></mujoco>"""


def record(steps: int = 250, depth: int = 5, **meta: object) -> SimpleNamespace:
    model = mujoco.MjModel.from_xml_string(scene(depth))
    data = mujoco.MjData(model)
    qpos = [data.qpos.copy()]
    for _ in range(steps):
        mujoco.mj_step(model, data)
        qpos.append(data.qpos.copy())
    trunk = model.body("trunk").id
    return SimpleNamespace(
        model_xml=scene(depth),
        time=0.004 * np.arange(steps + 1),
        qpos=np.array(qpos),
        contact_step=np.repeat(np.arange(steps), 2),
        contact_body=np.full(2 * steps, trunk),
        contact_kind=np.zeros(2 * steps, int),
        contact_point=np.tile([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], (steps, 1)),
        contact_force=np.tile([[0.0, 0.0, 30.0], [0.0, 0.0, 10.0]], (steps, 1)),
        reference_qpos=np.array(qpos),
        meta=meta,
    )


def unpack(packed: dict[str, str]) -> np.ndarray:
    return np.frombuffer(base64.b64decode(packed["data"]), "<" + packed["kind"])


class Page(HTMLParser):
    """Element names, attributes and the text of scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        if self.tags:
            self.texts.setdefault(self.tags[-1][0], []).append(data)


def test_page_is_whole_and_fetches_nothing(tmp_path):
    path = write_page(record(body="biped", motion="fall.bvh", controller="modal"), tmp_path / "page.html")
    text = path.read_text(encoding="utf-8")
    assert set(re.findall(r"https?://[^\"'`\s)]+", text)) <= {"http://www.w3.org/1999/xhtml"}
    assert "default-src 'none'" in text
    assert "Permission is hereby granted" in text  # three.js's licence travels with it
    page = Page(text)
    assert not [tag for tag, attributes in page.tags if {"src", "href"} & set(attributes)]
    assert [tag for tag, _ in page.tags].count("script") == 3
    assert "{{" not in "".join(page.texts["title"] + page.texts["p"])
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]


def test_embedded_poses_are_the_forward_kinematics(tmp_path):
    recording = record()
    text = write_page(recording, tmp_path / "page.html").read_text(encoding="utf-8")
    held = json.loads(re.search(r'type="application/json">(.*?)</script>', text, re.DOTALL)[1])
    model = mujoco.MjModel.from_xml_string(recording.model_xml)
    data = mujoco.MjData(model)
    times, count = unpack(held["times"]), len(held["bodies"])
    assert len(times) / recording.time[-1] <= 61
    assert times[-1] == pytest.approx(recording.time[-1])
    position = unpack(held["poses"]["position"]).reshape(len(times), count, 3)
    rotation = unpack(held["poses"]["rotation"]).reshape(len(times), count, 4) / 32767
    moving = [model.body(name).id for name in held["bodies"]]
    assert "sign" not in held["bodies"]
    for k, time in enumerate(times):
        data.qpos[:] = recording.qpos[np.abs(recording.time - time).argmin()]
        mujoco.mj_kinematics(model, data)
        np.testing.assert_allclose(position[k], data.xpos[moving], atol=1e-4)
        np.testing.assert_allclose(rotation[k], data.xquat[moving], atol=1e-4)
    np.testing.assert_array_equal(unpack(held["ghost"]["position"]), position.ravel())


def test_shapes_are_those_of_the_scene():
    shapes = page_data(record(2))["shapes"]
    named = {shape["name"]: shape for shape in shapes}
    assert {"floor", "step0", "step3", "skin", "post"} <= set(named)
    assert "helper" not in named
    np.testing.assert_allclose(named["post"]["position"], [0, 4, 0], atol=1e-12)  # a fixed body's, in the world
    assert named["post"]["body"] == -1
    field = next(shape for shape in shapes if shape["type"] == "hfield")
    assert (field["field"]["rows"], field["field"]["columns"]) == (3, 4)
    mesh = next(shape for shape in shapes if shape["type"] == "mesh")
    assert mesh["rgba"] == pytest.approx([0.1, 0.2, 0.3, 0.5])
    assert unpack(mesh["surface"]["faces"]).max() == 3
    assert [mesh["role"], named["skin"]["role"], named["floor"]["role"]] == ["prop", "performer", "ground"]


def test_contacts_are_averaged_over_a_frame_at_the_centre_of_pressure():
    held = page_data(record(50))
    start, rows = unpack(held["contacts"]["start"]), unpack(held["contacts"]["rows"]).reshape(-1, 6)
    assert len(start) == len(unpack(held["times"])) + 1
    np.testing.assert_allclose(rows[start[0]], [0.25, 0, 0, 0, 0, 40], rtol=1e-6)
    assert start[-1] == len(rows)


def test_no_contacts_and_no_reference_are_fine(tmp_path):
    recording = record(3)
    recording.reference_qpos = None
    recording.contact_step = recording.contact_body = recording.contact_kind = np.zeros(0, int)
    recording.contact_point = recording.contact_force = np.zeros((0, 3))
    held = page_data(recording)
    assert held["ghost"] is None
    assert unpack(held["contacts"]["rows"]).size == 0
    assert write_page(recording, tmp_path / "page.html").exists()


def test_hostile_names_stay_text(tmp_path):
    evil = "</title></script><script>alert(1)</script>{{data}}"
    recording = record(3, body=evil, motion=evil, controller={"name": evil}, fell_at=0.5)
    recording.model_xml = recording.model_xml.replace('name="crate"', 'name="&lt;/script&gt;&lt;b&gt;"')
    text = write_page(recording, tmp_path / "page.html", title=evil).read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert [tag for tag, _ in Page(text).tags].count("script") == 3
    assert "</script><b>" not in text


def test_events_become_pushes_and_odd_ones_are_passed_over():
    good = {"kind": "push", "body": "trunk", "force": [0, 50, 0], "time": 0.1, "duration": 0.2}
    scalar = {**good, "force": 50.0, "direction": [0.0, 1.0, 0.0]}
    odd = [
        {"kind": "edit"},
        "fall",
        {**good, "body": "nobody"},
        {**good, "force": 3},
        {**good, "force": [0, 0, 0]},
    ]
    held = page_data(record(3, events=[good, scalar, *odd], fell_at=0.01))
    assert [(push["body"], push["force"], push["duration"]) for push in held["pushes"]] == 2 * [(0, [0, 50, 0], 0.2)]
    assert [mark["kind"] for mark in held["marks"]] == ["push", "push", "fall"]
    assert page_data(record(3, events="none"))["pushes"] == []


def test_weights_hang_from_when_they_were_hung_until_they_were_taken_off():
    weight = {"kind": "weight", "body": "trunk", "mass": 3.0, "point": [0, 0, 0.1]}
    odd = [{**weight, "time": 0.1, "body": "nobody"}, {**weight, "time": None}, {**weight, "time": 0.1, "point": 3}]
    off = {"kind": "weights off", "time": 0.3}
    held = page_data(record(3, events=[{**weight, "time": 0.1}, *odd, off, {**weight, "time": 0.4, "mass": 5.0}]))
    told = [(each["body"], each["time"], each.get("until"), each["mass"]) for each in held["weights"]]
    assert told == [(0, 0.1, 0.3, 3.0), (0, 0.4, None, 5.0)]


def test_summary_is_one_line():
    meta = {"body": "biped", "motion": "/data/walk.bvh", "controller": {"name": "modal"}}
    assert page_summary(record(250, **meta, fell_at=None)) == "biped · walk.bvh · modal · 1.0 s · no fall"
    assert page_summary(record(250, fell_at=0.25)) == "1.0 s · fell at 0.25 s"


def test_ten_seconds_of_thirty_bodies_stay_under_two_megabytes(tmp_path):
    path = write_page(record(2500, depth=27), tmp_path / "page.html")
    assert path.stat().st_size < 2_000_000


def test_a_folder_that_is_not_there_is_said_in_one_line(tmp_path):
    with pytest.raises(PoiseError, match="cannot write") as caught:
        write_page(record(1), tmp_path / "missing" / "page.html")
    assert "\n" not in str(caught.value)
