"""The studio in headless Chromium: what a person does with a performance and with key poses."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from operation import PATIENCE, WALK, point_at, point_at_body, recording, simulated, still, take, until, yaw

from poise.motion.bvh import read_bvh


def test_a_character_walks_and_is_pushed_with_the_pad_and_by_hand(page, tmp_path):
    simulated(page, 1.0)
    box = page.locator("#pad").bounding_box()
    page.mouse.click(box["x"] + 0.15 * box["width"], box["y"] + 0.5 * box["height"])  # to its left
    until(page, "studio.events.some((event) => event.kind === 'push')")
    simulated(page, 0.5)
    still(page)
    point_at_body(page, "head")
    page.mouse.down()
    page.mouse.up()
    until(page, "studio.events.filter((event) => event.kind === 'push').length > 1")
    page.locator("#play").click()
    simulated(page, 0.4)
    kept = recording(page, tmp_path)
    pushes = [event for event in kept.meta["events"] if event["kind"] == "push"]
    assert pushes[0]["force"] == pytest.approx(150)
    assert pushes[0]["body"] == "thorax"
    assert pushes[0]["world_force"][1] > 100
    assert pushes[1]["body"] == "head"
    for push in pushes:
        first = np.searchsorted(kept.time, push["time"] - 1e-9)
        assert np.abs(kept.external[first]).max() > 10
    assert "On its feet" in page.locator("#chip-state").inner_text()


def test_a_limb_is_pulled_as_long_as_it_is_held(page, tmp_path):
    simulated(page, 0.3)
    still(page)
    x, y = point_at_body(page, "thorax")
    page.mouse.down()
    page.mouse.move(x + 40, y - 20, steps=3)
    page.mouse.move(x + 90, y - 30, steps=3)
    until(page, "!document.getElementById('force').hidden")
    assert page.locator("#force").inner_text().endswith(" N")
    page.keyboard.press("Space")
    simulated(page, 0.3)
    page.mouse.up()
    until(page, "studio.events.some((event) => event.kind === 'push')")
    pulls = [event for event in recording(page, tmp_path).meta["events"] if event["kind"] == "push"]
    assert pulls
    assert {pull["body"] for pull in pulls} == {"thorax"}


def test_it_goes_where_it_is_steered(page, tmp_path):
    simulated(page, 0.5)
    page.locator("#view").focus()
    page.keyboard.down("ArrowLeft")
    until(page, "studio.act.heading > 60")
    page.keyboard.up("ArrowLeft")
    simulated(page, 3.0)
    kept = recording(page, tmp_path)
    assert any(event["kind"] == "steer" and event["heading_deg"] > 50 for event in kept.meta["events"])
    assert yaw(kept) > 20
    page.get_by_role("tab", name="Act", exact=True).click()
    page.get_by_role("button", name="Stand", exact=True).click()
    until(page, "studio.events.some((event) => event.kind === 'steer' && event.speed === 0)")
    simulated(page, 3.0)
    assert np.linalg.norm(recording(page, tmp_path).qvel[-1, :2]) < 0.4


def test_it_flips_by_a_word_and_walks_away_where_it_is_steered(page, tmp_path):
    simulated(page, 0.2)
    page.get_by_role("button", name="back-flip", exact=True).click()
    until(page, "studio.scene.motion === 'back-flip' && studio.tape.end > 0.3")
    assert page.get_by_role("button", name="back-flip", exact=True).get_attribute("aria-pressed") == "true"
    dial = page.locator("#dial").bounding_box()
    page.mouse.click(dial["x"] + 0.1 * dial["width"], dial["y"] + 0.5 * dial["height"])  # to its left
    simulated(page, 8.0)
    kept = recording(page, tmp_path)
    assert kept.meta["fell_at"] is None
    assert "then pendulum" in kept.meta["controller"]
    assert yaw(kept) == pytest.approx(90.0, abs=25.0)
    upside_down = 1 - 2 * (kept.qpos[:, 4] ** 2 + kept.qpos[:, 5] ** 2) < -0.8
    assert upside_down.any()


def test_a_motion_file_is_dropped_and_performed(page):
    transfer = page.evaluate_handle(
        """(text) => { const data = new DataTransfer(); data.items.add(new File([text], "mine.bvh")); return data; }""",
        WALK.read_text(),
    )
    for kind in ("dragenter", "dragover", "drop"):
        page.dispatch_event("body", kind, {"dataTransfer": transfer})
    until(page, "studio.scene.motion === 'mine.bvh'")
    simulated(page, 0.4)
    assert page.locator("#motion").input_value() == "mine.bvh"
    name, content = take(page, "bvh")
    assert name == "mine.bvh"
    assert b"HIERARCHY" in content[:20]


def test_the_past_is_looked_at_and_gone_on_from(page, tmp_path):
    simulated(page, 2.0)
    box = page.locator("#scrub").bounding_box()
    seen = page.evaluate("studio.timebar.end")  # a busy machine stops much later
    page.mouse.click(box["x"] + 0.4 * box["width"], box["y"] + box["height"] / 2)
    until(page, "studio.timebar.held !== null && !studio.timebar.playing")
    end, held = page.evaluate("[studio.tape.end, studio.timebar.held]")
    assert 0.2 * seen < held < 0.6 * end
    page.locator("#step").click()  # a step within the past
    assert page.evaluate("studio.timebar.held") == pytest.approx(held + page.evaluate("studio.scene.step"))
    page.get_by_role("button", name="Continue from here").click()
    until(page, "studio.timebar.held === null && studio.timebar.playing")
    page.locator("#play").click()
    until(page, "!studio.timebar.playing")
    kept = recording(page, tmp_path)
    assert kept.time[-1] < end + 1.5
    page.locator("#step").click()
    page.wait_for_timeout(500)
    assert recording(page, tmp_path).steps == kept.steps + 1
    page.locator("#reset").click()
    until(page, "studio.tape.end < 1")


def test_an_edit_is_made_while_it_performs(page, tmp_path):
    page.get_by_role("tab", name="Edit").click()
    page.locator("#edit-text").fill("warp:0.8")
    page.locator("#edit-text").press("Enter")
    pace = page.get_by_label("warp · pace", exact=True)
    until(page, "studio.edit.sliders[0].input.value === '0.8'")
    simulated(page, 0.5)
    pace.fill("1")  # back to the original pace
    until(page, "studio.events.filter(({ kind }) => kind === 'edit').length === 2")
    assert pace.input_value() == "1"
    simulated(page, 0.5)
    edits = [event["text"] for event in recording(page, tmp_path).meta["events"] if event["kind"] == "edit"]
    assert edits == ["warp:0.8", "warp:1.25"]
    page.evaluate("studio.wire.send('branch', { time: studio.events[1].time - 0.2, play: true })")
    until(page, "studio.edit.sliders[0].input.value === '0.8'")
    page.get_by_role("tab", name="Edit").click()
    page.get_by_role("button", name="Go", exact=True).click()  # transition to a motion without these edits
    until(page, "studio.events.at(-1).text.startsWith('blend:sneak')")
    assert pace.input_value() == "1"


def test_the_ground_rises_and_a_weight_is_hung_while_it_walks(page, tmp_path):
    simulated(page, 1.0)
    page.get_by_role("tab", name="Edit").click()
    page.get_by_label("The ground ahead rises").fill("5")
    until(page, "studio.events.some(({ kind }) => kind === 'ground')")
    page.get_by_label("Where the weight hangs").select_option("right_hand")
    page.get_by_role("button", name="Hang", exact=True).click()
    until(page, "studio.theatre.boxes.length === 1")
    assert page.evaluate("studio.theatre.set.children.filter(({ userData }) => userData.role === 'ground').length") >= 2
    simulated(page, 3.0)
    page.get_by_role("button", name="Take all off").click()
    until(page, "studio.theatre.boxes.length === 0")
    kept = recording(page, tmp_path)
    kinds = [event["kind"] for event in kept.meta["events"]]
    assert kinds == ["ground", "weight", "weights off"]
    assert 'name="ground1"' in kept.model_xml
    hung = np.searchsorted(kept.time, kept.meta["events"][1]["time"])
    assert (kept.external[:hung] == 0).all()
    assert kept.external[hung + 1, 2] < 0
    assert kept.meta["terrain"].endswith(" m, 5° beyond")
    held = kept.meta["events"][1]["time"] + 0.2
    page.evaluate(f"studio.timebar.hold({held})")
    page.get_by_role("tab", name="Edit").click()
    page.get_by_role("button", name="Hang", exact=True).click()
    until(page, "studio.theatre.boxes.length === 2 && studio.timebar.playing")
    assert page.evaluate("studio.events.at(-1).time") == pytest.approx(held, abs=0.05)
    assert page.get_by_label("The ground ahead rises").input_value() == "5"
    page.locator("#reset").click()
    until(page, "studio.theatre.set.children.filter(({ userData }) => userData.role === 'ground').length === 1")
    until(page, "document.getElementById('ground-ahead').value === '0'")


def test_all_formats_are_taken_away_and_can_be_opened(page, browser, tmp_path):
    simulated(page, 0.6)
    page.locator("#play").click()
    (tmp_path / "a.bvh").write_bytes(take(page, "bvh")[1])
    assert read_bvh(tmp_path / "a.bvh").frames > 10
    name, glb = take(page, "glb")
    assert name == "walk.glb"
    assert glb[:4] == b"glTF"
    length = int.from_bytes(glb[12:16], "little")
    assert json.loads(glb[20 : 20 + length])["animations"]
    assert take(page, "csv")[1].startswith(b"time")
    (tmp_path / "page.html").write_bytes(take(page, "html")[1])
    alone = browser.new_context(offline=True, viewport={"width": 320, "height": 240}).new_page()
    alone.goto(f"file://{tmp_path}/page.html#paused", wait_until="commit")
    alone.wait_for_selector("html[data-ready=yes]", timeout=PATIENCE)
    alone.close()
    page.evaluate("Object.assign(FILM, { width: 320, height: 180, rate: 10 })")
    name, film = take(page, "mp4")
    assert name == "walk.mp4"
    assert film[4:8] == b"ftyp"
    seen = page.evaluate(
        """async (bytes) => {
          const video = document.createElement("video");
          video.src = URL.createObjectURL(new Blob([Uint8Array.from(bytes)], { type: "video/mp4" }));
          await new Promise((good, bad) => { video.onloadeddata = good; video.onerror = () => bad(video.error); });
          return [video.videoWidth, video.videoHeight, video.duration];
        }""",
        list(io.BytesIO(film).getbuffer()),
    )
    assert seen[:2] == [320, 180]
    assert seen[2] == pytest.approx(page.evaluate("studio.tape.end"), abs=0.3)


def test_two_keys_are_set_and_solved(page, tmp_path):
    page.get_by_role("tab", name="Pose").click()
    page.wait_for_selector("html[data-posed=yes]")
    line = page.locator("#timeline").bounding_box()
    page.mouse.click(line["x"] + 0.3 * line["width"], line["y"] + line["height"] / 2)
    page.get_by_role("button", name="Add key").click()
    until(page, "studio.pose.sheet.keys.length === 2")
    x, y = point_at(
        page, "studio.theatre.onScreen(studio.pose.handles.knobs.find(({ name }) => name === 'pelvis').knob.position)"
    )
    page.mouse.down()
    page.mouse.move(x, y + 15, steps=4)
    page.mouse.move(x, y + 25, steps=4)
    page.wait_for_timeout(500)
    page.mouse.up()
    until(page, "Math.abs(studio.pose.sheet.keys[1].angles.left_knee_y) > 20")
    page.get_by_text("Add a goal").click()
    page.get_by_label("Time of the goal, s").fill("1.4")
    page.get_by_label("Wanted value").fill("0.85")
    name = page.evaluate("studio.pose.sheet.keys[1].name")
    page.get_by_label("Variables").select_option([f"{name}.knee_y", f"{name}.hip_y"])
    page.get_by_role("button", name="Add goal", exact=True).click()
    until(page, "studio.pose.sheet.goals.length === 1")
    page.get_by_role("button", name="Solve goals").click()
    page.locator("#pose-result .good").first.wait_for()
    assert "Solved" in page.locator("#pose-result").inner_text()
    with page.expect_download() as coming:
        page.get_by_role("button", name="Save script").click()
    saved = Path(coming.value.path()).read_text()
    assert "solved" in saved
    page.evaluate("Object.assign(FILM, { width: 320, height: 180, rate: 4 })")
    with page.expect_download() as coming:
        page.get_by_role("button", name="MP4", exact=True).click()
    assert Path(coming.value.path()).read_bytes()[4:8] == b"ftyp"
    from poise.animate.read_script import read_script

    (tmp_path / "mine.toml").write_text(saved)
    assert len(read_script(str(tmp_path / "mine.toml")).poses) == 2


def test_exports_of_pose_wait_for_a_performance_and_help_is_no_physics(page):
    page.get_by_role("tab", name="Pose").click()
    until(page, "!!studio.pose.easel && !!studio.pose.tracks.keyframes")
    export = page.locator("#pose-left").get_by_role("button", name="BVH", exact=True)
    assert export.is_disabled()
    page.get_by_label("Length, s").fill("0.3")
    page.get_by_label("Length, s").press("Enter")
    page.locator("#pose-left").get_by_role("button", name="Perform", exact=True).click()
    until(page, "!!studio.pose.tracks.performed")
    assert export.is_enabled()
    for verdict, reasons, told in (
        ("physical", [], "Physical"),
        ("assisted", ["up to 66 N m"], "Assisted: up to 66 N m"),
    ):
        summary = f"{{ fell_at: null, verdict: '{verdict}', reasons: {json.dumps(reasons)} }}"
        page.evaluate(f"studio.pose.performed({summary})")
        assert told in page.locator("#pose-result").inner_text()
    assert "Physical" not in page.locator("#pose-result").inner_text()
    page.locator("#pose-left select[aria-label=Script]").select_option("new biped29")
    until(page, "studio.pose.sheet.body === 'biped29'")
    assert export.is_disabled()
