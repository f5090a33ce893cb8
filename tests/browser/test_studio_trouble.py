"""The studio in headless Chromium: what it says and does when something fails, is refused or is stopped."""

import os
import time

import pytest
from operation import PATIENCE, WALK, bring, controller, simulated, take, until
from visitors import wire_address


def test_a_broken_file_is_told(page):
    simulated(page, 0.1)
    broken = {"name": "bad.bvh", "mimeType": "text/plain", "buffer": WALK.read_bytes()[:600] + b"\nNONSENSE\n"}
    page.set_input_files("#file", files=[broken])
    alert = page.locator(".toast.error").first
    alert.wait_for()
    assert "bad.bvh" in alert.inner_text()
    assert "line" in alert.inner_text()
    simulated(page, 0.2)  # the present show continues
    assert page.locator("#motion").input_value() == "walk"


def test_controllers_that_do_not_fit_say_why(page):
    page.locator("#motion").select_option("backflip")
    until(page, "studio.scene.motion === 'backflip' && studio.scene.controller === 'nqr'")
    pendulum = page.locator(".pick", has=page.locator("input[value=pendulum]"))
    assert pendulum.locator("input").is_disabled()
    page.get_by_text("not fit: why?").click()
    assert "not a walk" in pendulum.inner_text()
    page.locator(".pick", has=page.locator("input[value=limp]")).click()
    until(page, "studio.scene.controller === 'limp'")
    until(page, "studio.fell !== null")


def test_what_was_on_the_stage_comes_back_after_a_crash(page, studio):
    page.locator("#terrain").select_option("slope")
    until(page, "studio.scene.terrain === 'slope:5'")
    page.evaluate("void (window.before = studio.tape)")
    os.kill(studio._pool._given[-1].pid, 9)
    page.locator(".toast.error").first.wait_for()
    assert "SIGKILL" in page.locator(".toast.error").first.inner_text()
    until(page, "studio.tape !== window.before && studio.timebar.playing")
    assert page.evaluate("[studio.scene.motion, studio.scene.terrain]") == ["walk", "slope:5"]


def test_ground_that_is_refused_is_not_shown(page):
    page.evaluate("studio.act.head(90)")
    simulated(page, 4.0)
    page.get_by_role("tab", name="Edit").click()
    page.get_by_label("The ground ahead rises").fill("7")
    page.get_by_text("turn it to about 0°").wait_for()
    until(page, "document.getElementById('ground-ahead').value === '0'")
    assert page.locator("#ground-ahead ~ output").text_content() == "level"


def test_what_takes_long_is_stopped_and_it_goes_on(page):
    simulated(page, 0.3)
    page.get_by_text("nqr · look-ahead", exact=True).click()
    until(page, "studio.scene.controller === 'nqr' && !!studio.tape.frames.length")
    page.get_by_role("button", name="Prepare for steering").click()
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_text("Stopped.").wait_for()
    until(page, "document.getElementById('busy').hidden && studio.timebar.playing")
    simulated(page, 0.3)
    assert page.evaluate("studio.scene.controller") == "nqr"
    assert not page.evaluate("studio.scene.steers")


def test_a_page_from_elsewhere_cannot_drive_it(browser, studio):
    page = browser.new_page()
    page.goto("data:text/html,<p>elsewhere")
    refused = page.evaluate(
        """(address) => new Promise((told) => {
          const socket = new WebSocket(address);
          socket.onopen = () => told(false);
          socket.onclose = () => told(true);
        })""",
        wire_address(studio),
    )
    page.close()
    assert refused, "even one that has found out the token"


def test_closing_the_page_ends_the_work(browser, studio):
    before = studio._pool.busy
    page = browser.new_page()
    page.goto(f"{studio.address}#plain")
    page.wait_for_selector("html[data-ready=yes]", timeout=PATIENCE)
    assert studio._pool.busy == before + 1
    page.close()
    end = time.monotonic() + 20
    while studio._pool.busy > before and time.monotonic() < end:
        time.sleep(0.1)
    assert studio._pool.busy == before


def test_a_link_without_the_token_is_answered_by_what_to_do(browser, studio):
    page = browser.new_page()
    answer = page.goto(f"http://127.0.0.1:{studio.port}/")
    assert answer.status == 403
    assert "poise studio" in page.inner_text("body")
    assert "token" in page.inner_text("body")
    page.close()


def test_a_full_disk_is_told_and_the_performance_goes_on(page, studio):
    resource = pytest.importorskip("resource")
    pid, free = studio._pool._given[-1].pid, resource.RLIM_INFINITY
    simulated(page, 0.2)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, free))  # no file can grow
    page.get_by_role("tab", name="Export").click()
    page.locator("[data-take=bvh]").click()
    page.get_by_text("cannot write walk.bvh").wait_for()
    bring(page, "mine.bvh")
    page.get_by_text("cannot write mine.bvh").wait_for()
    assert page.locator("#busy").is_hidden()
    simulated(page, 0.2)
    assert page.locator("#motion").input_value() == "walk"
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (free, free))
    assert b"HIERARCHY" in take(page, "bvh")[1][:20]
    assert studio._pool._given[-1].pid == pid


def test_an_import_tells_how_far_it_is_and_is_stopped(page):
    controller(page, "nqr")
    bring(page, "mine.bvh")
    busy = page.locator("#busy")
    page.get_by_text("mine.bvh is performed by nqr").wait_for()
    shown = "document.querySelector('#busy span').textContent"
    until(page, rf"/obey physics: \d+ iterations of at most 120 … \d+ s/.test({shown})")
    page.get_by_role("button", name="Stop", exact=True).click()
    stopped = page.locator(".toast", has_text="Stopped. It was making mine")
    stopped.wait_for()
    assert page.locator("#motion").input_value() == "walk", "at once, as the stage shows"
    assert page.evaluate("studio.scene.motion") == "walk"
    until(page, "document.getElementById('busy').hidden && studio.timebar.playing")
    assert page.evaluate("[studio.scene.motion, studio.scene.controller]") == ["walk", "nqr"]
    controller(page, "pendulum")
    page.locator("#motion").select_option("mine.bvh")  # it is still there to be chosen
    until(page, "studio.scene.motion === 'mine.bvh' && studio.timebar.playing")
    assert busy.is_hidden()


def test_a_file_is_not_performed_by_a_rag_doll_without_a_word_and_prepared_once(page):
    controller(page, "limp")
    bring(page, "once.bvh")
    told = page.locator(".toast", has_text="once.bvh is performed by pendulum")
    told.wait_for()
    assert told.get_by_role("button", name="Use nqr").is_visible()
    until(page, "studio.scene.motion === 'once.bvh' && studio.scene.controller === 'pendulum'")
    page.evaluate(
        """() => {
          window.told = [];
          const { busy } = studio.wire.hear;
          studio.wire.hear.busy = (message) => { window.told.push(message.text); busy(message); };
        }"""
    )
    controller(page, "hold")
    told = page.evaluate("window.told")
    assert any("setting up" in text for text in told)
    assert not any("retargeting" in text for text in told)


def test_a_fall_that_is_undone_is_no_longer_told(page):
    simulated(page, 0.5)
    held = page.evaluate("studio.tape.end")
    page.evaluate("studio.wire.send('push', { newtons: 3000, degrees: 90, duration: 0.3 })")
    fallen = page.get_by_text("The character fell.")
    fallen.wait_for()
    page.evaluate(f"studio.timebar.hold({held})")
    page.get_by_role("button", name="Continue from here").click()
    until(page, "studio.timebar.held === null && studio.timebar.playing")
    assert fallen.count() == 0
    until(page, "document.getElementById('chip-state').innerText === 'On its feet'")


def test_the_fields_show_what_is_on_the_stage_after_an_older_choice_was_refused(page):
    page.evaluate(
        """() => {
          const { choose } = studio;
          choose.begin({ edits: ["nonsense"] });
          choose.show({ ...choose.on, motion: "sneak" });
          choose.begin();
        }"""
    )
    page.locator(".toast.error").first.wait_for()
    until(page, "studio.scene.motion === 'sneak' && studio.timebar.playing")
    until(page, "document.getElementById('motion').value === 'sneak'")
    assert page.locator(".pick input:checked").get_attribute("value") == page.evaluate("studio.scene.controller")
