"""The browser, the studio and the page that the tests share.

The studio runs in headless Chromium, judged by what the server recorded and by downloaded files. Run by
`make test-browser`; needs Debian's chromium. Drawing is done in software here, so nothing is timed.
"""

import os
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "studio"))
from operation import PATIENCE, until
from visitors import open_studio

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = (
    "--no-sandbox --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
)
FRESH = """() => {
  document.querySelector("#modes [data-mode=perform]").click();
  document.querySelector(".tabs [data-tab=play]").click();
  document.querySelector("[data-when=now]").click();
  document.querySelectorAll(".toast").forEach((toast) => toast.remove());
  for (const input of document.querySelectorAll("input[type=range][value]")) {
    input.value = input.defaultValue;
    input.show?.();
  }
  studio.edit.preferred = "now";
  studio.edit.chosen.clear();
  studio.theatre.stage.resetView();
  Object.assign(studio.pose, { easel: null, sheet: null, tracks: {} });
  studio.pose.scripts.value = "new human37";
  delete document.documentElement.dataset.posed;
  const { choose } = studio;
  const begun = { motion: "walk", body: "", controller: choose.choices.walker, terrain: "flat", friction: 1 };
  choose.show({ ...begun, loads: [], edits: [], steered: false });
  const before = studio.epoch;
  choose.asked();
  return before;
}"""
"""Puts the page back to how it opens, and starts a new performance; returns the number of the one before."""


def pytest_collection_modifyitems(items):
    """Skip the tests of this folder unless a browser was asked for and is installed."""
    if not os.environ.get("POISE_BROWSER") or CHROMIUM is None:
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="make test-browser, with chromium installed"))


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as opened:
        yield opened.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())


@pytest.fixture(scope="session")
def studio():
    with open_studio() as opened:
        yield opened


@pytest.fixture(scope="session")
def pages(browser, studio):
    """The page that the tests share, since a new one takes seconds, and what its scripts raised."""
    held = SimpleNamespace(page=None, faults=[])
    yield held
    if held.page is not None:
        held.page.close()


@pytest.fixture
def page(pages, browser, studio, request):
    """The page as it opens; a test that fails leaves the next one a new page."""
    if pages.page is not None:
        before = pages.page.evaluate(FRESH)
        until(pages.page, f"studio.epoch > {before} && studio.tape.frames.length > 0 && studio.timebar.playing")
    else:
        # half the pixels each way: software that draws must not keep what is simulated from running
        pages.page = browser.new_page(viewport={"width": 1280, "height": 720}, device_scale_factor=0.5)
        pages.page.set_default_timeout(PATIENCE)
        pages.page.on("pageerror", lambda error: pages.faults.append(str(error)))
        pages.page.goto(f"{studio.address}#plain")
        pages.page.wait_for_selector("html[data-ready=yes]")
    shared = pages.page
    failed = request.session.testsfailed
    yield shared
    faults, pages.faults = pages.faults, []
    if faults or request.session.testsfailed > failed:
        shared.close()  # ends its performer
        pages.page = None
    assert faults == []
