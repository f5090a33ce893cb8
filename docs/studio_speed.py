"""Measures the studio on this machine: `python docs/studio_speed.py`, with nothing else running (Linux).

Prints, for walkers of 29 degrees of freedom: poses that come in a second, the share of a core that the server and the
walker's process take, milliseconds from a push that is sent until it has been taken up and until the first pose with it
comes, and, where chromium is installed, from a click on the push pad until a picture with it is drawn.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests" / "studio"))

WATCHED, PUSHES, NEWTONS = 10.0, 20, 20.0
"""s, pushes and their strength, N: too weak to fall from."""
WINDOWS = ((480, 270), (1280, 720))
"""Pixels."""
FLAGS = "--no-sandbox --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader --disable-quic --no-first-run"
SHOWN = """() => new Promise((tell) => {
  const began = performance.now(), before = studio.events.length;
  studio.act.push(90);
  const look = () => {
    const push = studio.events[before];
    if (push && studio.timebar.shown > push.time + studio.scene.step - 1e-6) tell(performance.now() - began);
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})"""
"""From a push until the first pose that it has changed is drawn, ms."""

PICTURES = """() => new Promise((tell) => {
  const began = performance.now();
  let count = 0;
  const look = (now) => { if (now - began > 3000) tell(count / 3); else { count++; requestAnimationFrame(look); } };
  requestAnimationFrame(look);
})"""
"""A second, that are drawn."""


@contextmanager
def server() -> Iterator[SimpleNamespace]:
    """The studio, in a process of its own."""
    command = [sys.executable, "-m", "poise", "studio", "--json", "--no-browser"]
    with subprocess.Popen([*command, "--body", "biped29"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        yield SimpleNamespace(pid=process.pid, **told)
        process.terminate()


def core_seconds(pid: int) -> float:
    """Of a process and its children."""
    total = 0.0
    for each in (pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())):
        user, system = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()[11:13]
        total += (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    return total


def frame_time(frame: bytes) -> float:
    """s."""
    return float(struct.unpack("<d", frame[8:16])[0])


def pushed(visitor: Any) -> tuple[float, float]:
    """ms from a push until it is taken up, and until a pose that feels it comes."""
    began, taken = time.perf_counter(), None
    visitor.send("push", newtons=NEWTONS, degrees=90, duration=0.1)
    while True:
        message = visitor.next()
        if isinstance(message, dict) and message["say"] == "events":
            taken, since = 1e3 * (time.perf_counter() - began), message["events"][-1]["time"]
        elif taken is not None and isinstance(message, bytes) and frame_time(message) > since:
            return taken, 1e3 * (time.perf_counter() - began)


def watched(studio: SimpleNamespace, controller: str) -> dict[str, Any]:
    """A walk on biped29, watched without a browser."""
    from visitors import Visitor

    with Visitor(studio) as visitor:
        visitor.until("ready")
        visitor.send("stage", motion="walk", body="biped29", controller=controller)
        visitor.until("playing", 300)
        visitor.frames(3.0)  # until everything is compiled and the next process is ready
        before = core_seconds(studio.pid)
        frames = visitor.frames(WATCHED)
        cores = (core_seconds(studio.pid) - before) / WATCHED
        simulated = frame_time(frames[-1][1]) - frame_time(frames[0][1])
        waits = [pushed(visitor) for _ in range(PUSHES) if visitor.frames(0.2)]
    return {
        "poses_per_s": round(len(frames) / WATCHED, 1),
        "real_time": round(simulated / (frames[-1][0] - frames[0][0]), 3),
        "cores": round(cores, 3),
        "push_taken_ms": round(statistics.median(taken for taken, _ in waits), 1),
        "push_sent_ms": round(statistics.median(sent for _, sent in waits), 1),
        "push_sent_worst_ms": round(max(sent for _, sent in waits), 1),
    }


def shown(studio: SimpleNamespace, width: int, height: int) -> dict[str, Any]:
    """From the click to the picture, drawn by software in a window."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        return {"push_shown_ms": None}
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS.split())
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(studio.address)
        page.wait_for_selector("html[data-ready=yes]", timeout=120_000)
        page.evaluate(f"document.getElementById('push-force').value = {NEWTONS}")
        page.wait_for_timeout(5000)  # until it has found out how fine it can draw
        waits = []
        for _ in range(PUSHES):
            page.wait_for_timeout(200)
            waits.append(page.evaluate(SHOWN))
        pictures = page.evaluate(PICTURES)
        browser.close()
    return {
        "window": f"{width}x{height}",
        "pictures_per_s": round(pictures, 1),
        "push_shown_ms": round(statistics.median(waits), 1),
        "push_shown_worst_ms": round(max(waits), 1),
    }


def main() -> None:
    with server() as studio:
        for controller in ("nqr", "pendulum"):
            print(json.dumps({"controller": controller, "body": "biped29", **watched(studio, controller)}), flush=True)
        for window in WINDOWS:
            print(json.dumps({"controller": "pendulum", "body": "biped29", **shown(studio, *window)}), flush=True)


if __name__ == "__main__":
    main()
