"""The desk: takes a visitor's commands one by one and does what they say."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from poise.errors import PoiseError
from poise.export.look import performer_span
from poise.export.page import scene_data
from poise.performance.forces import HEAVIEST
from poise.retarget.prepare import changes
from poise.studio.catalogue import fits, page_catalogue
from poise.studio.choices import Choice
from poise.studio.frames import Framer
from poise.studio.pose_editor import Posing
from poise.studio.show import STRONGEST, Memory, Show
from poise.studio.transfers import download, keep, shown_name
from poise.studio.wire import Told, file_bytes, words
from poise.world.result import BlowUp
from poise.world.world import World

# What a page is told of a stage: what there is to draw, who performs, and what can be done with it.


def announced(show: Show, harmless: Callable[[str], str]) -> dict[str, Any]:
    """All that a page has to know; `harmless` takes from a text what is none of its business."""
    choice, world = show.choice, show.run.world
    body = world.scene.body
    found = [] if show.imported is None else changes(show.imported)
    scene, upright = scene_data(world.model, world.qpos), np.array(world.model.qpos0)
    upright[world.scene.coordinates(0)] = body.standing
    scene["span"] = max(scene["span"], performer_span(world.model, upright))  # who begins curled up will stretch
    return {
        **scene,
        "dofs": [body.dof_names[k] for k in range(body.nv)],
        "links": list(body.links),
        "feet": [foot.link for foot in body.feet],
        "hands": [hand.link for hand in body.hands],
        "trunk": body.trunk,
        "body": body.name,
        "motion": shown_name(choice.motion) if choice.is_file else choice.motion,
        "controller": choice.controller,
        "terrain": choice.terrain,
        "steers": choice.steers,
        "guide": choice.guide.name,
        "live": show.live,
        "over": choice.transitions,
        "bends": choice.bends_ground,
        "step": show.step_s,
        "found": [harmless(line) for line in found],
    }


Send = Callable[[str | bytes], None]
STEEPEST = 12.0
"""Degrees that the ground ahead may be made to rise or fall by."""
TOLD = ["kind", "time", "duration", "text", "heading_deg", "speed", "world_force", "body", "force", "mass", "point"]
"""What a page is told of an event."""
RECENT, LASTING = 400, ("weight", "weights off", "ground", "edit")
"""How many events it is told of, and of which kinds also the earlier ones, since what they did is still shown."""
SPEEDS = (0.02, 2.0)
"""Times real time that it can be watched at."""


class Desk:
    """One visitor's show, and whatever else he has open."""

    def __init__(self, send: Send, folder: Path) -> None:
        self._send, self._folder = send, folder
        self._brought: dict[str, Path] = {}
        self.show: Show | None = None
        self._framer: Framer | None = None
        self.playing = False
        self.slow = 1.0  # times real time
        self._epoch = 0
        self._memory = Memory()
        self._laid: World | None = None  # whose ground the page has
        self.posing = Posing(send, folder)

    def _say(self, kind: str, **more: Any) -> None:
        self._send(words(kind, **more))

    def take(self, command: dict[str, Any]) -> None:
        """Do what a command says; what cannot be done is told."""
        name, told = command["do"], Told(command)
        act = getattr(self, f"_do_{name}", None)
        try:
            if name.startswith("pose."):
                self.playing = False
                self.posing.take(name.removeprefix("pose."), told)
                return
            if act is None:
                raise PoiseError(f"the studio cannot '{name[:40]}'")
            act(told)
        except PoiseError as error:
            self._say("error", text=str(error), of=name)
            self.tell()  # the page may show what was wanted already
        except BlowUp as error:
            self._stopped(error)

    def upload(self, name: str, content: bytes) -> None:
        """A file that a visitor has brought."""
        try:
            path = keep(self._folder, name, content)
            if path.suffix.lower() == ".toml":
                self.posing.open(path)
                return
            self._brought[path.name] = path
            self._say("brought", name=path.name)
        except PoiseError as error:
            self._say("error", text=str(error).replace(f"{self._folder}/", ""), of="upload")

    # -- choosing ----------------------------------------------------------------------------------------------------

    def _do_hello(self, _: Told) -> None:
        self._say("choices", **page_catalogue())

    def _do_fits(self, told: Told) -> None:
        motion = told.text("motion")
        chosen = str(self._brought.get(motion, motion))
        self._say("fits", motion=motion, body=told.text("body"), why=fits(chosen, told.text("body") or None))

    def _do_stage(self, told: Told) -> None:
        choice = Choice.of(told, self._brought)
        try:
            show = Show(choice, lambda text: self._say("busy", text=self._harmless(text)), self._memory)
        except PoiseError as error:
            raise PoiseError(self._harmless(str(error))) from None
        self._take_up(show)
        self.playing = not told.flag("paused")
        self._say("playing", on=self.playing)

    def _harmless(self, text: str) -> str:
        """A text that does not tell where uploads are kept."""
        return text.replace(f"{self._folder}/", "")

    def _take_up(self, show: Show) -> None:
        self.show, self._framer = show, Framer(show.run)
        self._epoch += 1
        self._laid = show.run.world
        self._say("stage", epoch=self._epoch, **announced(show, self._harmless))
        self.send_frame()
        self.tell()

    # -- time --------------------------------------------------------------------------------------------------------

    def _shown(self) -> Show:
        if self.show is None:
            raise PoiseError("nothing is on the stage yet")
        return self.show

    def _do_play(self, told: Told) -> None:
        self._shown()
        self.playing = told.flag("on")
        self._say("playing", on=self.playing)

    def _do_step(self, _: Told) -> None:
        self.playing = False
        self._shown().step()
        self._say("playing", on=False)
        self.send_frame()
        self.tell()

    def _do_speed(self, told: Told) -> None:
        self.slow = told.number("value", *SPEEDS)

    def _do_reset(self, told: Told) -> None:
        self._go(0.0, told)

    def _do_branch(self, told: Told) -> None:
        self._go(told.number("time", 0.0, math.inf if self.show is None else self.show.time + 1.0), told)

    def _go(self, time: float, told: Told) -> None:
        show = self._shown()
        show.branch(time)
        self._epoch += 1
        self.playing = told.flag("play")
        self._say("branched", time=show.time, epoch=self._epoch, events=self._events())
        self._tell_ground()
        self._say("playing", on=self.playing)
        self.send_frame()
        self.tell()

    @property
    def step_s(self) -> float:
        """Duration of a step of what is performed, s."""
        return self._shown().step_s

    def advance(self, seconds: float, enough: Callable[[], bool]) -> float:
        """Simulate so much, or until it is enough for now; gives back the seconds that were simulated."""
        show, done = self._shown(), 0.0
        try:
            while done + show.step_s <= seconds + 1e-9 and not enough():
                show.step()
                done += show.step_s
        except BlowUp as error:
            self._stopped(error)
        except PoiseError as error:
            self.playing = False
            self._say("error", text=str(error), of="play")
            self._say("playing", on=False)
        return done

    def _stopped(self, error: BlowUp) -> None:
        self.playing = False
        self._say("error", text=f"the simulation {error}; go on from an earlier moment", of="play")
        self._say("playing", on=False)

    # -- acting ------------------------------------------------------------------------------------------------------

    def _do_push(self, told: Told) -> None:
        show, body = self._shown(), told.text("body") or None
        duration = told.number("duration", 0.01, 5.0, 0.1)
        if told.raw("force") is not None:
            show.push(told.vector("force", STRONGEST), duration, body)
        else:
            show.push_towards(told.number("newtons", 1.0, STRONGEST), told.number("degrees", -360, 360), duration, body)
        self._say("events", events=self._events())

    def _do_pull(self, told: Told) -> None:
        self._shown().pull(told.vector("force", STRONGEST), told.text("body"))

    def _do_release(self, _: Told) -> None:
        self._shown().let_go()
        self._say("events", events=self._events())

    def _do_hang(self, told: Told) -> None:
        self._shown().hang(told.text("body"), told.number("mass", 0.1, HEAVIEST))
        self._say("events", events=self._events())

    def _do_unhang(self, _: Told) -> None:
        self._shown().take_off()
        self._say("events", events=self._events())

    def _do_steer(self, told: Told) -> None:
        heading = told.maybe("heading", -1e6, 1e6)
        self._shown().steer(
            None if heading is None else math.radians(heading),
            told.maybe("speed", -20.0, 20.0),
            told.maybe("lift", 0.0, 1.0),
            told.maybe("step", 0.1, 3.0),
        )
        self._say("events", events=self._events())

    def _do_edit(self, told: Told) -> None:
        self._shown().edit(told.text("text"))
        self._say("events", events=self._events())

    def _do_slope(self, told: Told) -> None:
        self._shown().slope(told.number("degrees", -STEEPEST, STEEPEST))
        self._say("events", events=self._events())
        self._tell_ground()
        self.tell()

    def _tell_ground(self) -> None:
        """What of the scene is ground, if it is another than the page has."""
        world = self._shown().run.world
        if world is self._laid:
            return
        self._laid = world
        shapes = scene_data(world.model, world.qpos)["shapes"]
        self._say("ground", shapes=[shape for shape in shapes if shape["role"] == "ground"])

    def _do_transition(self, told: Told) -> None:
        motion = told.text("motion")
        self._say("busy", text=f"putting {shown_name(motion)} on the body")
        try:
            self._shown().go_over(motion)
        finally:
            self._say("busy", text="")
        self._say("events", events=self._events())

    def _events(self) -> list[dict[str, Any]]:
        events = self._shown().run.events
        lasting = [event for event in events[:-RECENT] if event["kind"] in LASTING]
        return [{key: event[key] for key in TOLD if key in event} for event in (*lasting, *events[-RECENT:])]

    # -- telling -----------------------------------------------------------------------------------------------------

    def send_frame(self) -> None:
        """The present state."""
        show, framer = self.show, self._framer
        if show is not None and framer is not None:
            ghost = show.run.ghost
            show.judge.compare(show.run, ghost)
            self._send(framer.frame(self._epoch, ghost, show.last))

    def tell(self) -> None:
        """The numbers of now."""
        if self.show is not None:
            self._say("numbers", time=self.show.time, **self.show.told())

    def _do_judge(self, _: Told) -> None:
        from poise.performance.report import summarise

        show = self._shown()
        if not show.run.so_far().recording.steps:
            raise PoiseError("there is nothing to judge yet")
        self._say("verdict", **summarise(show.performance()))

    def _do_take(self, told: Told) -> None:
        show = self._shown()
        name, content = download(show.performance(), told.text("format"), show.judge.fell_at, show.terrain)
        self._send(file_bytes(name, content))
