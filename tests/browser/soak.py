"""Operates a studio at random for minutes or hours: `make soak MINUTES=60`, not a part of `make test` (Linux).

Most of the load comes from visitors that speak the page's protocol without a browser, at the pace of people. Beside
them a real page is open in headless Chromium and is operated as well. A performer is killed every few minutes. A
command counts as executed if the performer has come to what was sent after it, and no error came.

The visitors pause between commands so that 10,000 commands are executed in an hour, but for 0.2 to 1 s in the mean,
like people who click, drag and press keys.

Prints a line of JSON each minute and one at the end. Fails if the server ends or raises, if fewer commands are
executed, if memory does not level out after the first ten minutes, or if the page names something else than what is on
the stage.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).parents[1] / "studio"))
from operation import WALK
from visitors import Visitor
from websockets.exceptions import ConnectionClosed

from conftest import CHROMIUM, FLAGS

SETTLED = 10  # minutes after which memory must be level
GROWTH = 1.25  # Largest ratio of the memory of the last third to that of the first third of the time after that
SLACK = 40.0  # MB of growth that is allowed in any case
QUICK = ("pendulum", "hold", "limp", "rotation", "modal", "nqr")  # Controllers that are chosen
HOURLY = 10_000  # Commands to be executed in an hour
PAUSES = (0.2, 1.0)  # s: shortest and longest mean pause of a person between commands
SLOW = 120.0  # s without an answer, after which a person presses Stop
PAGE = """() => {
  const { choose, scene } = studio, shown = (id) => document.getElementById(id);
  const busy = !shown("busy").hidden || choose.next || choose.wanted.size || !scene;
  const wrong = [];
  if (!busy) {
    if (shown("motion").value !== scene.motion) wrong.push(`motion ${shown("motion").value}, not ${scene.motion}`);
    const picked = document.querySelector(".pick input:checked")?.value;
    if (picked !== scene.controller) wrong.push(`controller ${picked}, not ${scene.controller}`);
    if (!document.title.startsWith(scene.motion)) wrong.push(`title ${document.title}, not ${scene.motion}`);
    if (choose.terrain !== scene.terrain) wrong.push(`terrain ${choose.terrain}, not ${scene.terrain}`);
    const toasts = [...document.querySelectorAll(".toast span")].map((span) => span.textContent);
    if (toasts.includes("The character fell.") && studio.fell === null) wrong.push("a fall that is undone");
  }
  return { busy, wrong, heap: performance.memory.usedJSHeapSize / 2 ** 20 };
}"""
"""What the page shows that is not on the stage."""


class Person(threading.Thread):
    """A visitor that sends random commands by the protocol."""

    def __init__(self, studio: SimpleNamespace, seed: int, share: float, end: float) -> None:
        """`share` is the number of commands that the person should execute until `end` (s, monotonic clock)."""
        super().__init__(daemon=True)
        self._studio, self._random, self._share, self._end = studio, random.Random(seed), share, end
        self.count: Counter[str] = Counter()  # executed, refused, busy, lost
        self.kinds: Counter[str] = Counter()  # executed, by command
        self.spent: Counter[str] = Counter()  # s, time until the answer, by command
        self.errors: Counter[str] = Counter()
        self.wrong: list[str] = []
        self._fences = 0
        self.slowest = 0.0  # s from a command to its answer
        self.failure: str | None = None

    def run(self) -> None:
        """Visit again and again until the time is over."""
        try:
            while time.monotonic() < self._end:
                try:
                    self._visit()
                except (ConnectionClosed, TimeoutError) as error:  # whether the server has ended is noticed elsewhere
                    self.count["reconnected"] += 1
                    self.errors[f"{type(error).__name__}: {error}"[:120]] += 1
                    time.sleep(5.0)
        except Exception as error:
            self.failure = f"{type(error).__name__}: {error}"

    def _visit(self) -> None:
        with Visitor(self._studio, open_timeout=120.0, ping_interval=None) as self._visitor:
            self._arrive()
            leaves = min(self._end, time.monotonic() + self._random.uniform(300, 1200))
            while time.monotonic() < leaves:
                self._act()
                self._rest(self._random.expovariate(1 / self._pause()))

    def _pause(self) -> float:
        """Mean pause (s) with which the rest of the share is executed in the rest of the time, within PAUSES."""
        done = self.count["executed"]
        each = (self._end - time.monotonic()) / max(self._share - done, 1.0)
        return min(max(each - sum(self.spent.values()) / max(done, 1), PAUSES[0]), PAUSES[1])

    def _arrive(self) -> None:
        self._until("ready")
        self._visitor.send("hello")
        self._choices = self._until("choices")
        self._files: set[str] = set()
        self._time, self._links, self._stage = 0.0, ["pelvis"], ("", "")
        self._do("stage", **self._choice())

    def _hear(self, seconds: float) -> dict:
        """The next message; for frames and files only its kind."""
        message = self._visitor.next(seconds)
        if isinstance(message, bytes):
            return {"say": ("", "frame", "file", "track")[message[0]]}
        if message["say"] == "numbers":
            self._time = message["time"]
        if message["say"] == "stage":
            self._links, self._stage = message["links"], (message["motion"], message["controller"])
        return message

    def _until(self, *kinds: str) -> dict:
        """The next message of one of these kinds."""
        while (message := self._hear(600.0))["say"] not in kinds:
            pass
        return message

    def _rest(self, seconds: float) -> None:
        """Watch for a while."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            with suppress(TimeoutError):
                if self._hear(left)["say"] == "crashed":
                    self._begin_again()

    def _begin_again(self) -> None:
        self._until("ready")
        self._files.clear()
        self._do("stage", **self._choice())

    def _do(self, name: str, **more: object) -> None:
        """Send a command and a numbered fence after it, which is no command, and wait until that is refused."""
        began, self._fences = time.monotonic(), self._fences + 1
        self._visitor.send(name, **more)
        self._visitor.send(f"fence {self._fences}")
        error, stopped = None, False
        while True:
            try:
                message = self._hear(SLOW)
            except TimeoutError:
                if stopped:
                    raise
                stopped = True
                self._visitor.send("abort")
                continue
            if message["say"] == "crashed":
                self.count["stopped" if stopped else "lost"] += 1
                self._begin_again()
                return
            if message["say"] == "error" and message["of"] == f"fence {self._fences}":
                break
            if message["say"] == "error" and not message["of"].startswith("fence"):
                error = message["text"]
        took = time.monotonic() - began
        self.spent[name] += took
        self.slowest = max(self.slowest, took)
        if error is None:
            self.count["executed"] += 1
            self.kinds[name] += 1
            wanted = (more.get("motion"), more.get("controller"))
            if name == "stage" and self._stage != wanted:
                self.wrong.append(f"{self._stage} is on the stage, not {wanted}")
            return
        self.count["busy" if "still busy" in error else "refused"] += 1
        self.errors[error[:120]] += 1

    def _choice(self) -> dict:
        pick = self._random
        motion = pick.choice([each["name"] for each in self._choices["motions"]] + [*self._files] * 5)
        self._visitor.send("fits", motion=motion, body="")
        while (message := self._until("fits", "crashed"))["say"] == "crashed":
            self._begin_again()
            self._visitor.send("fits", motion=motion, body="")
        able = [name for name in QUICK if message["why"].get(name, "unknown") is None]
        if motion.endswith(".bvh"):  # nqr and modal would make it obey physics first, which takes minutes
            able = [name for name in able if name not in ("nqr", "modal")]
        terrain = pick.choice(["flat", "flat", "flat", "slope:5", "rough:0.03:3", "drop:0.06:5"])
        if not able:
            return {"motion": "walk", "controller": "pendulum", "terrain": terrain}
        return {"motion": message["motion"], "controller": pick.choice(able), "terrain": terrain}

    def _act(self) -> None:
        pick = self._random
        link, now = pick.choice(self._links), self._time
        degrees = pick.uniform(-180, 180)
        force = [pick.uniform(-200, 200) for _ in range(3)]
        acts = {
            "push": (28, lambda: self._do("push", newtons=pick.uniform(20, 400), degrees=degrees, duration=0.1)),
            "pull": (8, lambda: self._do("pull", force=force, body=link)),
            "release": (8, lambda: self._do("release")),
            "steer": (12, lambda: self._do("steer", heading=degrees, speed=pick.uniform(0, 1.4))),
            "hang": (3, lambda: self._do("hang", body=link, mass=pick.uniform(0.5, 5))),
            "unhang": (4, lambda: self._do("unhang")),
            "edit": (4, lambda: self._do("edit", text=pick.choice(["warp:0.9", "warp:1.1", "stride:+0.05", "mirror"]))),
            "slope": (3, lambda: self._do("slope", degrees=pick.uniform(-8, 8))),
            "play": (12, lambda: self._do("play", on=pick.random() < 0.7)),
            "step": (4, lambda: self._do("step")),
            "playback_rate": (4, lambda: self._do("playback_rate", value=pick.choice([0.1, 0.5, 1.0, 1.0, 1.0]))),
            "branch": (6, lambda: self._do("branch", time=pick.uniform(max(0.0, now - 20), now), play=True)),
            "reset": (2, lambda: self._do("reset", play=True)),
            "stage": (3, lambda: self._do("stage", **self._choice())),
            "judge": (2, lambda: self._do("judge")),
            "download": (2, lambda: self._do("download", format=pick.choice(["bvh", "glb", "html", "npz", "csv"]))),
            "file": (1, self._bring),
            "pose": (2, self._pose),
            "nonsense": (1, lambda: self._do("dance", steps=3)),
        }
        pick.choices([act for _, act in acts.values()], [weight for weight, _ in acts.values()])[0]()

    def _bring(self) -> None:
        content, name = WALK.read_bytes(), f"mine {self._random.randrange(3)}.bvh"
        self._visitor.send("upload", name=name, size=len(content))
        if self._until("send", "error")["say"] == "error":
            self.count["busy"] += 1
            return
        self._visitor.socket.send(content)
        heard = self._until("brought", "error", "crashed")["say"]
        if heard == "crashed":
            self._begin_again()
        if heard != "brought":
            return
        self.count["executed"] += 1
        self.kinds["upload"] += 1
        self._files.add(name)
        self._do("stage", motion=name, controller="pendulum", terrain="flat")

    def _pose(self) -> None:
        self._do("pose.new", body=self._random.choice(["human37", "biped29"]))
        key = {"index": 1, "time": 0.3, "title": "soak", "seconds": 0.5}
        for name in ("entries", "key", "at", "mirror", "undo", "perform"):
            self._do(f"pose.{name}", **key)
        self._do("play", on=True)


class Operator:
    """A person at the real page."""

    def __init__(self, page: object, seed: int) -> None:
        self._page, self._random = page, random.Random(seed)
        self.acts, self.wrong, self.heap, self._suspected = 0, [], [], set()
        self.faults: list[str] = []
        page.on("pageerror", lambda error: self.faults.append(str(error)))

    def act(self) -> None:
        """Do something, and look whether the page names what is on the stage."""
        page, pick = self._page, self._random
        moves = page.locator("#moves button")
        acts = [
            lambda: page.locator("#pad").click(position={"x": pick.uniform(10, 100), "y": pick.uniform(10, 100)}),
            lambda: moves.nth(pick.randrange(moves.count())).click(),
            lambda: page.locator("#motion").select_option(pick.choice(["walk", "sneak", "walk-fast", "squat"])),
            lambda: page.locator("#terrain").select_option(pick.choice(["flat", "slope"])),
            lambda: page.locator("#reset").click(),
            lambda: page.locator("#play").click(),
            lambda: page.evaluate("studio.timebar.hold(0.5 * studio.timebar.end)"),
            lambda: page.locator("#branch").click(),
            lambda: page.get_by_role("button", name="Go back two seconds").first.click(),
        ]
        with suppress(Exception):  # what is not there cannot be clicked
            pick.choice(acts)()
            self.acts += 1
        seen = page.evaluate(PAGE)
        self.heap.append(seen["heap"])
        for wrong in self._suspected & set(seen["wrong"]):  # twice, a second or more apart
            self.wrong.append(wrong)
        self._suspected = set(seen["wrong"])


@contextmanager
def server():
    """The studio in a process of its own, and what it writes to its terminal."""
    with tempfile.TemporaryDirectory(prefix="poise-soak-") as folder:
        log = Path(folder) / "terminal"
        command = [sys.executable, "-m", "poise", "studio", "--json", "--no-browser"]
        with log.open("w") as terminal:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=terminal, text=True)
        try:
            told = json.loads(process.stdout.readline())
            yield SimpleNamespace(process=process, pid=process.pid, log=log, **told)
        finally:
            process.terminate()
            process.wait(60)


@contextmanager
def operator(studio, seed):
    """A person at the page in Chromium; None without one."""
    if CHROMIUM is None or seed is None:
        yield None
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        page = browser.new_page(viewport={"width": 1280, "height": 720}, device_scale_factor=0.25)
        page.goto(f"{studio.address}#plain")
        page.wait_for_selector("html[data-ready=yes]", timeout=900_000)
        page.set_default_timeout(2000)
        yield Operator(page, seed)
        browser.close()


def performers(pid: int) -> list[int]:
    """Process ids of the performers of a studio, the spare one included."""
    found = []
    for each in map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()):
        with suppress(OSError):
            if b"spawn_main" in Path(f"/proc/{each}/cmdline").read_bytes():
                found.append(each)
    return found


def resident(pid: int) -> float:
    """Resident memory (MB) of a process; 0 if it has ended."""
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    return 0.0


def level(samples: list[tuple[float, float]], minutes: float) -> tuple[float, float] | None:
    """Medians (MB) of the first and last third of the samples (minute, MB) after SETTLED; None if that is too short."""
    late = [size for minute, size in samples if minute >= min(SETTLED, 0.4 * minutes)]
    third = len(late) // 3
    return (statistics.median(late[:third]), statistics.median(late[-third:])) if third >= 3 else None


def main() -> None:
    """Run the soak test and exit with 1 if it fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--kill", type=float, default=5.0, help="minutes between the deaths of performers")
    parser.add_argument("--people", type=int, default=3, help="visitors without a browser; at most 3")
    parser.add_argument("--commands", type=int, help=f"to be executed; by default {HOURLY} an hour")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-browser", action="store_true")
    chosen = parser.parse_args()
    pick, failures, kills = random.Random(chosen.seed), [], 0
    commands = round(HOURLY * chosen.minutes / 60) if chosen.commands is None else chosen.commands
    memory: dict[str, list[tuple[float, float]]] = {"server": [], "performers": [], "largest": []}
    with server() as studio, operator(studio, None if chosen.no_browser else chosen.seed) as seen:
        began, end = time.monotonic(), time.monotonic() + 60 * chosen.minutes
        share = 1.02 * commands / chosen.people
        people = [Person(studio, chosen.seed + k, share, end) for k in range(chosen.people)]
        for person in people:
            person.start()
        reported = killed = slowest = 0.0
        while (minute := (time.monotonic() - began) / 60) < chosen.minutes and studio.process.poll() is None:
            sizes = [resident(pid) for pid in performers(studio.pid)]
            for kind, size in (("server", resident(studio.pid)), ("performers", sum(sizes)), ("largest", max(sizes))):
                memory[kind].append((minute, size))
            if minute >= killed + chosen.kill:
                killed, kills = minute, kills + 1
                with suppress(ProcessLookupError):
                    os.kill(pick.choice(performers(studio.pid)), signal.SIGKILL)
            if minute >= reported + 1:
                reported = minute
                now = {kind: round(sizes[-1][1]) for kind, sizes in memory.items()}
                print(json.dumps({"minute": round(minute, 1), **total(people), **now}), flush=True)
            asked = time.monotonic()
            urllib.request.urlopen(studio.address, timeout=300).close()
            slowest = max(slowest, time.monotonic() - asked)
            if seen is not None:
                seen.act()
            time.sleep(pick.expovariate(1 / 2.0))
        for person in people:
            person.join(SLOW + 60)
        if studio.process.poll() is not None:
            failures.append(f"the server ended with {studio.process.returncode}")
        failures += [f"a visitor failed: {person.failure}" for person in people if person.failure]
        failures += [wrong for person in people for wrong in person.wrong]
        terminal = studio.log.read_text()
    done = total(people).get("executed", 0)
    failures += [f"{done} commands were executed, not {commands}"] if done < commands else []
    failures += [f"the terminal shows: {terminal[-3000:]}"] if "Traceback" in terminal else []
    levels = {kind: level(samples, chosen.minutes) for kind, samples in memory.items()}
    for kind, found in levels.items():
        if found is not None and found[1] > max(GROWTH * found[0], found[0] + SLACK):
            failures.append(f"memory of {kind} grows from {found[0]:.0f} to {found[1]:.0f} MB")
    if seen is not None:
        failures += [f"the page shows {wrong}" for wrong in seen.wrong] + seen.faults
    kinds, spent, errors = (
        sum((getattr(person, of) for person in people), Counter()) for of in ("kinds", "spent", "errors")
    )
    told = {
        "minutes": round((time.monotonic() - began) / 60, 1),
        **total(people),
        "kills": kills,
        "slowest_command_s": round(max(person.slowest for person in people), 1),
        "slowest_page_s": round(slowest, 2),
        "level_mb": {kind: None if found is None else [round(x) for x in found] for kind, found in levels.items()},
        **({} if seen is None else {"page_acts": seen.acts, "page_heap_mb": round(max(seen.heap))}),
        "kinds": dict(kinds.most_common()),
        "spent_s": {name: round(seconds) for name, seconds in spent.most_common(8)},
        "errors": dict(errors.most_common(20)),
        "failures": failures,
    }
    print(json.dumps(told, indent=1))
    sys.exit(bool(failures))


def total(people: list[Person]) -> dict[str, int]:
    """Numbers of commands of all people."""
    return dict(sum((person.count for person in people), Counter()))


if __name__ == "__main__":
    main()
