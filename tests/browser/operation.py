"""How the tests operate the page of the studio."""

import time
from pathlib import Path

import numpy as np

from poise.rotations import yaw_of
from poise.world.recording import Recording

WALK = Path(__file__).parents[2] / "examples" / "motions" / "walk.bvh"
PATIENCE = 600_000  # ms: the first run compiles everything, on a machine that may be busy


def until(page, condition):
    """Wait for a condition, polled from here: the page's policy forbids evaluating strings."""
    end = time.monotonic() + PATIENCE / 1000
    while not page.evaluate(condition):
        if time.monotonic() > end:
            raise TimeoutError(condition)
        page.wait_for_timeout(100)


def simulated(page, seconds):
    """Wait until so many more seconds are recorded."""
    end = page.evaluate("studio.tape.end")
    until(page, f"studio.tape.end > {end + seconds}")


def take(page, form):
    page.get_by_role("tab", name="Export").click()
    with page.expect_download() as coming:
        page.locator(f"[data-take={form}]").click()
    return coming.value.suggested_filename, Path(coming.value.path()).read_bytes()


def recording(page, tmp_path):
    _, content = take(page, "npz")
    (tmp_path / "taken.npz").write_bytes(content)
    return Recording.load(tmp_path / "taken.npz")


def yaw(kept):
    """Final heading, degrees to the left of the initial one."""
    return np.degrees(yaw_of(kept.qpos[-1, 3:7]))


def point_at(page, script):
    """Move the pointer to the point that a script returns, once that is at rest; the point, px of the screen."""
    before = None
    for _ in range(PATIENCE // 500):
        at = page.evaluate(script)
        if at is not None and before is not None and abs(at["x"] - before["x"]) + abs(at["y"] - before["y"]) < 1:
            page.mouse.move(at["x"], at["y"])
            return at["x"], at["y"]
        before = at
        page.wait_for_timeout(500)
    raise AssertionError(f"does not come to rest: {script}")


def point_at_body(page, link):
    """Point at the origin of a link, or where another link covers that, at the nearest point that shows it."""
    return point_at(
        page,
        f"""(() => {{
          const {{ groups }} = studio.theatre;
          const {{ x, y }} = studio.theatre.onScreen(groups[studio.scene.bodies.indexOf("{link}")].position);
          const near = [];
          for (let i = -6; i <= 6; i++)
            for (let j = -6; j <= 6; j++) near.push({{ x: x + 4 * i, y: y + 4 * j, far: i * i + j * j }});
          near.sort((a, b) => a.far - b.far);
          return near.find((at) => studio.theatre.pick({{ clientX: at.x, clientY: at.y }})?.name === "{link}") ?? null;
        }})()""",
    )


def still(page):
    """Pause, so that the body stays where it is shown."""
    page.locator("#play").click()
    until(page, "!studio.timebar.playing")


def bring(page, name):
    """Open the example walk under a name, as with the button."""
    page.set_input_files("#file", files=[{"name": name, "mimeType": "text/plain", "buffer": WALK.read_bytes()}])


def controller(page, name):
    """Choose a controller, and wait until it performs."""
    page.locator(".pick", has=page.locator(f"input[value={name}]")).click()
    until(page, f"studio.scene.controller === '{name}'")
