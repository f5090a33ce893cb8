"""The desk: executes the commands of one page."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from poise.control.commands import STEP_DURATIONS, TOP_LIFT, TOP_SPEED
from poise.control.controller import AdjustableSteps
from poise.errors import PoiseError
from poise.export.look import performer_span
from poise.export.page import page_scene_data
from poise.performance.forces import HEAVIEST
from poise.performance.report import summarise_performance
from poise.performance.run import Run
from poise.retarget.prepare import import_changes
from poise.studio.catalogue import controller_refusals, page_catalogue
from poise.studio.choices import USUAL_SPEEDS, Choice
from poise.studio.frames import Framer
from poise.studio.pose_editor import PoseEditor
from poise.studio.show import STRONGEST, Show, ShowMemory
from poise.studio.transfers import download_file, safe_upload_name, store_upload
from poise.studio.wire import Arguments, file_bytes, json_message
from poise.world.result import BlowUp
from poise.world.world import World

Send = Callable[[str | bytes], None]
STEEPEST = 12.0  # Maximum slope (degrees), up or down, of the ground ahead
FIELDS = ["kind", "time", "duration", "text", "heading_deg", "speed", "world_force", "body", "force", "mass", "point"]
"""Fields of an event that are sent to the page."""
RECENT, LASTING_KINDS = 400, ("weight", "weights off", "ground", "edit")
"""Number of recent events sent; kinds of which earlier ones are sent as well, since they still show."""
EVENTFUL = ("push", "release", "hang", "unhang", "steer", "edit", "slope", "transition")
"""Commands after which the events are sent."""
PLAYBACK_RATES = (0.02, 2.0)  # Lowest and highest playback rate, relative to real time


class Desk:
    """State of one page: its show and its pose editor."""

    def __init__(self, send: Send, folder: Path) -> None:
        self._send, self._folder = send, folder
        self._brought: dict[str, Path] = {}
        self.show: Show | None = None
        self._framer: Framer | None = None
        self.playing = False
        self.playback_rate = 1.0  # simulated seconds per wall-clock second that are shown
        self._epoch = 0
        self._memory = ShowMemory()
        self._sent_ground: World | None = None  # world whose ground the page has
        self.posing = PoseEditor(send, folder)

    def _say(self, kind: str, **more: Any) -> None:
        self._send(json_message(kind, **more))

    def execute(self, command: dict[str, Any]) -> None:
        """Execute a command; report to the page what cannot be done."""
        name, args = command["do"], Arguments(command)
        act = getattr(self, f"_do_{name}", None)
        try:
            if name.startswith("pose."):
                self.playing = False
                self.posing.execute(name.removeprefix("pose."), args)
                return
            if act is None:
                raise PoiseError(f"unknown command '{name[:40]}'")
            act(args)
            if name in EVENTFUL:
                self._say("events", events=self._events())
        except PoiseError as error:
            self._say("error", text=self._without_folder(str(error)), of=name, id=args.raw("id"))
            self.send_numbers()  # the page may already show the refused value
        except BlowUp as error:
            self._stop(error)

    def _without_folder(self, text: str) -> str:
        """The text without the path of the upload folder."""
        return text.replace(f"{self._folder}/", "")

    # -- choosing ----------------------------------------------------------------------------------------------------

    def _do_hello(self, _: Arguments) -> None:
        self._say("choices", **page_catalogue())

    def _do_upload(self, args: Arguments) -> None:
        path = store_upload(self._folder, args.text("upload"), args.raw("content"))
        if path.suffix.lower() == ".toml":
            self.posing.open(path)
            return
        self._brought[path.name] = path
        self._say("brought", name=path.name, file=args.text("upload"))

    def _do_fits(self, args: Arguments) -> None:
        motion, body = args.text("motion"), args.text("body")
        why = controller_refusals(str(self._brought.get(motion, motion)), body or None)
        self._say("fits", motion=motion, body=body, why=why)

    def _do_stage(self, args: Arguments) -> None:
        choice = Choice.of(args, self._brought)
        number = int(args.number("id", 0, 1e9, 0))  # of the page's choice, which may want another one by now
        show = Show(choice, lambda text: self._say("busy", text=self._without_folder(text)), self._memory)
        self._put_on_stage(show, number)
        self._set_playing(not args.flag("paused"))

    def _put_on_stage(self, show: Show, number: int) -> None:
        self.show, self._framer = show, Framer(show.run)
        self._epoch += 1
        self._sent_ground = show.run.world
        self._say("stage", id=number, epoch=self._epoch, **stage_message(show, self._without_folder))
        self._send_state()

    # -- time --------------------------------------------------------------------------------------------------------

    def _present_show(self) -> Show:
        if self.show is None:
            raise PoiseError("nothing is performed yet: choose a motion first")
        return self.show

    def _do_play(self, args: Arguments) -> None:
        self._present_show()
        self._set_playing(args.flag("on"))

    def _set_playing(self, on: bool) -> None:
        self.playing = on
        self._say("playing", on=on)

    def _do_step(self, _: Arguments) -> None:
        self.playing = False
        self._present_show().step()
        self._set_playing(False)
        self._send_state()

    def _do_playback_rate(self, args: Arguments) -> None:
        self.playback_rate = args.number("value", *PLAYBACK_RATES)

    def _do_reset(self, args: Arguments) -> None:
        self._go_back_to(0.0, args)

    def _do_branch(self, args: Arguments) -> None:
        self._go_back_to(args.number("time", 0.0, math.inf if self.show is None else self.show.run.time + 1.0), args)

    def _go_back_to(self, time: float, args: Arguments) -> None:
        show = self._present_show()
        show.branch(time)
        self._epoch += 1
        self._say("branched", time=show.run.time, epoch=self._epoch, events=self._events())
        self._send_ground()
        self._set_playing(args.flag("play"))
        self._send_state()

    @property
    def step_s(self) -> float:
        """Time step (s) of the show."""
        return self._present_show().run.step_s

    def advance(self, seconds: float, enough: Callable[[], bool]) -> float:
        """Simulate up to `seconds` or until `enough()`; return the seconds simulated."""
        show, done = self._present_show(), 0.0
        try:
            while done + show.run.step_s <= seconds + 1e-9 and not enough():
                show.step()
                done += show.run.step_s
        except (BlowUp, PoiseError) as error:
            self._stop(error)
        return done

    def _stop(self, error: BlowUp | PoiseError) -> None:
        self.playing = False
        blown_up = f"the simulation {error}; continue from an earlier moment"
        self._say("error", text=blown_up if isinstance(error, BlowUp) else str(error), of="play")
        self._set_playing(False)

    # -- acting ------------------------------------------------------------------------------------------------------

    def _do_push(self, args: Arguments) -> None:
        show, body = self._present_show(), args.text("body") or None
        duration = args.number("duration", 0.01, 5.0, 0.1)
        if args.raw("force") is not None:
            force = args.vector("force", STRONGEST)
            show.interact(lambda run: run.push(force, duration, body))
        else:
            show.push_towards(args.number("newtons", 1.0, STRONGEST), args.number("degrees", -360, 360), duration, body)

    def _do_pull(self, args: Arguments) -> None:
        force, body = args.vector("force", STRONGEST), args.text("body")
        self._present_show().interact(lambda run: run.pull(force, body))

    def _do_release(self, _: Arguments) -> None:
        self._present_show().interact(Run.let_go)

    def _do_hang(self, args: Arguments) -> None:
        link, mass = args.text("body"), args.number("mass", 0.1, HEAVIEST)
        self._present_show().interact(lambda run: run.hang(link, mass))

    def _do_unhang(self, _: Arguments) -> None:
        self._present_show().interact(Run.take_off)

    def _do_steer(self, args: Arguments) -> None:
        heading = args.optional_number("heading", -1e6, 1e6)
        self._present_show().steer(
            None if heading is None else math.radians(heading),
            args.optional_number("speed", -TOP_SPEED, TOP_SPEED),
            args.optional_number("lift", 0.0, TOP_LIFT),
            args.optional_number("step", *STEP_DURATIONS),
        )

    def _do_edit(self, args: Arguments) -> None:
        self._present_show().edit(args.text("text"))

    def _do_slope(self, args: Arguments) -> None:
        self._present_show().slope(args.number("degrees", -STEEPEST, STEEPEST))
        self._send_ground()
        self.send_numbers()

    def _send_ground(self) -> None:
        """Send the ground shapes if they differ from those that the page has."""
        world = self._present_show().run.world
        if world is self._sent_ground:
            return
        self._sent_ground = world
        shapes = page_scene_data(world.model, world.qpos)["shapes"]
        self._say("ground", shapes=[shape for shape in shapes if shape["role"] == "ground"])

    def _do_transition(self, args: Arguments) -> None:
        motion = args.text("motion")
        self._say("busy", text=f"putting {safe_upload_name(motion)} on the body")
        try:
            self._present_show().blend_into(motion)
        finally:
            self._say("busy", text="")

    def _events(self) -> list[dict[str, Any]]:
        events = self._present_show().run.events
        lasting = [event for event in events[:-RECENT] if event["kind"] in LASTING_KINDS]
        return [{key: event[key] for key in FIELDS if key in event} for event in (*lasting, *events[-RECENT:])]

    # -- sending -----------------------------------------------------------------------------------------------------

    def _send_state(self) -> None:
        self.send_frame()
        self.send_numbers()

    def send_frame(self) -> None:
        """Send the present state."""
        show, framer = self.show, self._framer
        if show is not None and framer is not None:
            ghost = show.run.ghost
            show.judge.update_tracking_error(show.run, ghost)
            self._send(framer.frame(self._epoch, ghost, show.last))

    def send_numbers(self) -> None:
        """Send the present numbers."""
        if self.show is not None:
            self._say("numbers", time=self.show.run.time, **self.show.status())

    def _do_judge(self, _: Arguments) -> None:
        show = self._present_show()
        performance = show.run.so_far()
        if not performance.recording.steps:
            raise PoiseError("there is nothing to judge yet: let it perform first")
        self._say("verdict", **summarise_performance(performance), likeness=show.likeness())

    def _do_download(self, args: Arguments) -> None:
        name, content = download_file(self._present_show().run.so_far(), args.text("format"), self._folder)
        self._send(file_bytes(name, content))


def stage_message(show: Show, clean: Callable[[str], str]) -> dict[str, Any]:
    """The "stage" message: what to draw, what performs, what can be done; `clean` strips private paths."""
    choice, world = show.choice, show.run.world
    body = world.scene.body
    found = [] if show.imported is None else import_changes(show.imported)
    scene, upright = page_scene_data(world.model, world.qpos), np.array(world.model.qpos0)
    upright[world.scene.coordinates(0)] = body.standing
    # a motion may begin curled up and stretch later
    scene["span"] = max(scene["span"], performer_span(world.model, upright))
    return {
        **scene,
        "dofs": [body.dof_names[k] for k in range(body.nv)],
        "links": list(body.links),
        "feet": [foot.link for foot in body.feet],
        "hands": [hand.link for hand in body.hands],
        "trunk": body.trunk,
        "body": body.name,
        "motion": safe_upload_name(choice.motion) if choice.is_file else choice.motion,
        "controller": choice.controller,
        "terrain": choice.terrain,
        "steers": choice.steers,
        "preparable": choice.can_prepare_steering and not choice.steers,
        "adjusts": isinstance(show.run.controller, AdjustableSteps),
        "guide": choice.guide.name,
        "falls_expected": choice.falls_expected,
        "usual_speed": USUAL_SPEEDS.get(choice.motion, USUAL_SPEEDS["walk"]),
        "live": show.live,
        "over": choice.transitions,
        "bends": choice.bends_ground,
        "step": show.run.step_s,
        "found": [clean(line) for line in found],
    }
