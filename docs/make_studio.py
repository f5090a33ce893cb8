"""Makes the pictures of the studio, in headless Chromium: part of `make pictures`.

Without chromium they stay as they are.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from PIL import Image, ImageOps

HERE = Path(__file__).parent
STATIC = HERE / "_static"
sys.path.insert(0, str(HERE.parent / "tests" / "studio"))

FLAGS = "--no-sandbox --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader --disable-quic --no-first-run"
SIZE = {"width": 1280, "height": 720}


def main() -> None:
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        print("chromium is not installed: the pictures of the studio stay as they are", file=sys.stderr)
        return
    from playwright.sync_api import sync_playwright
    from visitors import open_studio

    with open_studio() as studio, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS.split())
        page = browser.new_page(viewport=SIZE)
        page.set_default_timeout(120_000)
        page.goto(f"{studio.address}#fine")
        page.wait_for_selector("html[data-ready=yes]")
        pushed(page)
        judged(page)
        posed(page)
        browser.close()


def until(page: Any, condition: str) -> None:
    end = time.monotonic() + 120
    while not page.evaluate(condition):
        if time.monotonic() > end:
            raise SystemExit(f"the studio never came to: {condition}")
        page.wait_for_timeout(50)


def shoot(page: Any, name: str) -> None:
    page.wait_for_timeout(3000)  # until the camera has settled
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    ImageOps.posterize(picture, 6).save(STATIC / f"{name}.png", optimize=True)


def pushed(page: Any) -> None:
    """A walk just after a push to the side, looked at once more."""
    until(page, "studio.tape.end > 3")
    page.evaluate("studio.wire.send('push', { newtons: 150, degrees: 90, duration: 0.25 })")
    until(page, "studio.events.length && studio.tape.end > studio.events[0].time + 1")
    for toggle in ("contacts", "com"):
        page.locator(f"[data-toggle={toggle}]").click()
    page.evaluate("studio.timebar.hold(studio.events[0].time + 0.22)")
    shoot(page, "studio")


def judged(page: Any) -> None:
    """The same, with numbers and a plot."""
    page.get_by_role("tab", name="Judge").click()
    page.locator("#plot-what").select_option("contact")
    page.evaluate("studio.stale = true")
    shoot(page, "studio-judge")


def posed(page: Any) -> None:
    """A key pose with its handles, and a script performed."""
    page.get_by_role("tab", name="Pose").click()
    page.wait_for_selector("html[data-posed=yes]")
    page.get_by_label("Script", exact=True).select_option("somersault")
    until(page, "studio.pose.sheet.name === 'somersault'")
    page.get_by_role("button", name="Perform", exact=True).click()
    until(page, "!!studio.pose.tracks.performed")
    page.evaluate("studio.pose.play(false); studio.pose.show('performed'); studio.pose.at(1.2)")
    shoot(page, "studio-pose")


if __name__ == "__main__":
    main()
