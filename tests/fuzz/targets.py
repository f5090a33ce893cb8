"""What is fuzzed: the readers of files, the mini-languages, the command line, and the messages of the studio."""

import contextlib
import json
import os
import shlex
from functools import cache

import numpy as np
from seeds import (
    AMC,
    ASF,
    BVH,
    COMMANDS,
    EDITS,
    MESSAGES,
    MJCF,
    MJCF_SECOND,
    POSING,
    SETTINGS,
    STAGE,
    TERRAIN,
    amass_seeds,
    clip_seeds,
    conversations,
    files,
    recording_seeds,
    reference_seeds,
    scratch,
    setting_seeds,
)
from target import TARGETS, fuzzed, text, written

from poise.errors import PoiseError

# -- motion files -----------------------------------------------------------------------------------------------------


@fuzzed("bvh", [BVH])
def _bvh(data, folder):
    from poise.motion.files import read_motion

    return read_motion(written(folder, "m.bvh", data))


@fuzzed("bvh-import", [BVH], slow=True)
def _bvh_import(data, folder):
    from poise.motion.repair.importer import import_motion

    return import_motion(written(folder, "m.bvh", data))


@fuzzed("asf", [ASF])
def _asf(data, folder):
    from poise.motion.files import read_motion

    written(folder, "m.asf", data)
    return read_motion(written(folder, "m.amc", AMC.encode()))


@fuzzed("amc", [AMC])
def _amc(data, folder):
    from poise.motion.files import read_motion

    written(folder, "m.asf", ASF.encode())
    return read_motion(written(folder, "m.amc", data))


@fuzzed("amass", amass_seeds)
def _amass(data, folder):
    from poise.motion.files import read_motion

    return read_motion(written(folder, "m.npz", data))


@fuzzed("clip", clip_seeds)
def _clip(data, folder):
    from poise.motion.files import read_motion

    return read_motion(written(folder, "m.npz", data)).clip.places


# -- bodies, recordings and references --------------------------------------------------------------------------------


@fuzzed("mjcf", [MJCF, MJCF_SECOND, MJCF_SECOND.replace('<include file="other.xml"/>', "")], slow=True)
def _mjcf(data, folder):
    from poise.body.body import Body

    body = Body.from_mjcf(written(folder, "body.xml", data))
    return body.groups, body.missing, body.trunk, body.dof_names, repr(body)


@fuzzed("recording", recording_seeds, slow=True)
def _read_recording(data, folder):
    from poise.world.recording import Recording

    return repr(Recording.load(written(folder, "r.npz", data)))


@fuzzed("recording-export", recording_seeds, slow=True)
def _export(data, folder):
    from poise.export.formats import export

    source = written(folder, "r.npz", data)
    for ending in ("csv", "bvh", "html", "npz", "glb"):
        with contextlib.suppress(PoiseError):
            export(source, folder / f"out.{ending}")


@fuzzed("recording-audit", recording_seeds, slow=True, compiled=True)
def _audit(data, folder):
    from poise.measure.audit import audit
    from poise.measure.metrics import metrics

    source = written(folder, "r.npz", data)
    audit(source).as_dict()
    return metrics(source)


@fuzzed("reference", reference_seeds, slow=True)
def _reference(data, folder):
    from poise.reference.archive import load_reference

    return load_reference(written(folder, "reference.npz", data))


# -- TOML -------------------------------------------------------------------------------------------------------------


@fuzzed("terrain-file", [TERRAIN, "platform = [{x = [0, 1], y = [0, 1], z = 1.0}]\n"])
def _terrain_file(data, folder):
    from poise.world.terrain_kinds import parse_terrain

    written(folder, "ground.toml", data)
    ground = parse_terrain("./ground.toml", folder)
    return ground.geoms(), ground.height(0.3, 0.1), str(ground)


@fuzzed("behaviour", files("library/behaviours/shipped/*.toml"), slow=True)
def _behaviour(data, folder):
    from poise.library.behaviours.files import read_behaviour

    return read_behaviour(written(folder, "own.toml", data))


@fuzzed("script", files("animate/scripts/*.toml", "**/*script*.toml"), slow=True)
def _script(data, folder):
    from poise.animate.read_script import read_script

    return read_script(str(written(folder, "own.toml", data)))


# -- short forms ------------------------------------------------------------------------------------------------------


@fuzzed("terrain", ["flat", "slope:12", "stairs:0.1:0.3:8", "stairs:-0.1:0.3:8", "rough:0.03:7", "drop:0.3:2",
                    "hurdle:0.2:3", "spiral:0.1:20:1:9", "./own.toml"])  # fmt: skip
def _terrain(data, folder):
    from poise.world.terrain_kinds import parse_terrain

    ground = parse_terrain(text(data), folder)
    return len(ground.geoms()), ground.height(0.3, 0.1), str(ground), ground.summit()


@fuzzed("push", ["150", "150@2.0", "150@2.0,dir=90,body=torso", "80,duration=0.2,dir=1:0:0.5", "-3e2@1.5,dir=-45"])
def _push(data, folder):
    from poise.world.pushes import parse_push

    return parse_push(text(data)).share(0.0, 0.01)


@fuzzed("steer", ["0s:0 3s:90 6s:-45@0.9", "0s:0@1.2,lift=0.1,step=0.7", "2:180"])
def _steer(data, folder):
    from poise.control.commands import parse_steer

    return [command.as_event() for command in parse_steer(text(data))]


@fuzzed("edit", EDITS)
def _edit(data, folder):
    from poise.edit.parse import parse_edit

    return repr(parse_edit(text(data)))


@fuzzed(
    "reach",
    ["reach:left_hand=0.3:0.2:0.1@1-2,to=world,point=1:2:3,ease=0.4", "reach:head=0:0:0.1/left_foot=0:0.1:0@0.5"],
)
def _reach(data, folder):
    from poise.edit.parse import parse_edit

    return repr(parse_edit(text(data)))


@cache
def _lamp():
    from poise.body.body import Body

    return Body.named("lamp14")


@fuzzed("edit-applied", [*EDITS, "offset:knee_y=20@0.1-0.4", "warp:1.3", "reach:head=0:0:0.05@0.1-0.4"], slow=True)
def _edit_applied(data, folder):
    from poise.edit.parse import parse_edit
    from poise.edit.take import edited
    from poise.reference.body_clip import BodyClip

    edit = parse_edit(text(data))
    late = (edit.span.start or 0.0) > 60.0  # work in proportion to the time is what is asked for
    if late or type(edit).__name__ == "Blend":  # which reads and prepares a motion file
        return None
    clip = BodyClip("still", _lamp(), 30.0, np.tile(_lamp().standing, (30, 1)), None, False)
    return edited(clip, edit)


@fuzzed("load", ["right_hand=15", "head=0.1", "base=1e-3"])
def _load(data, folder):
    from poise.body.load import parse_body_load

    link, mass = parse_body_load(text(data))
    return _lamp().loaded({link: mass}).mass


@fuzzed("scale", ["1 1 1 5", "0.5 2 1.2 60", "1 1 1 -"])
def _scale(data, folder):
    words = text(data).split()
    try:
        numbers = [float(word) for word in words if word != "-"]
    except ValueError:
        return None
    legs, arms, size, mass = [*numbers, 1.0, 1.0, 1.0, 20.0][:4]
    return _lamp().scaled(legs=legs, arms=arms, size=size, mass=mass).model


@fuzzed("variation", ["speed:1.1", "stride:0.9 turn:30", "lift:0.03", "speed:1.1 lift:0.02"])
def _variation(data, folder):
    from poise.physics.dynamic_motion import parse_physics_variation

    return parse_physics_variation(tuple(text(data).split(" ")))


@fuzzed("setting", setting_seeds)
def _setting(data, folder):
    from poise.cli.perform import _parse_setting
    from poise.control.catalogue import controller_names, named_controller

    name, *settings = text(data).split(" ")
    if ":" in name and name not in SETTINGS:  # would import any module
        name = "hold"
    return named_controller(name if name in controller_names() else name[:60], dict(map(_parse_setting, settings)))


@fuzzed(
    "then-catch", ["roll-and-stand rotation walk:pendulum", "walk modal - pendulum", "stand nqr walk:pendulum pendulum"]
)
def _then(data, folder):
    from poise.control.catalogue import controller_entry, named_controller
    from poise.performance.request import Request

    motion, name, then, catch, *_ = [*text(data).split(" "), "", "", "", ""]
    if ":" in name:
        return None
    entry, controller = controller_entry(name), named_controller(name)
    request = Request(motion, controller=name, then=None if then == "-" else then, catch=catch or None)
    return request._successor(), request._with_catcher(controller, entry)


# -- the command line -------------------------------------------------------------------------------------------------


@cache
def _parser():
    from poise.cli.main import build_parser

    return build_parser()


@fuzzed("arguments", COMMANDS)
def _arguments(data, folder):
    try:
        words = shlex.split(text(data))
    except ValueError:
        return None
    return _parser().parse_args(words[:200])  # argparse takes quadratic time


@fuzzed(
    "export-command",
    ["csv", "bvh", "glb", "html", "npz", "csv --json", "usd", "png", "CSV", "bvh --from 0.01 --to 0.03 --fps 30"],
    slow=True,
)
def _export_command(data, folder):
    from poise.cli.main import main

    source = written(folder, "r.npz", recording_seeds()[0])
    ending, *rest = text(data).replace("/", "_").split(" ")
    if ending.lower() in ("mp4", "png"):
        return None
    before = os.getcwd()
    os.chdir(folder)
    try:
        code = main(["export", str(source), f"x.{ending}", *rest])
    finally:
        os.chdir(before)
    if code not in (0, 1, 2):
        raise ValueError(f"exit code {code}")
    return code


# -- the studio -------------------------------------------------------------------------------------------------------

LONG = ("pose.solve", "pose.perform", "judge", "download", "transition", "hello", "fits")  # may take long, and say so


@fuzzed("wire", lambda: [json.dumps(message).encode() for message in (STAGE, *MESSAGES, *POSING)])
def _wire(data, folder):
    from poise.studio.wire import Arguments, json_message, read_command

    command = read_command(data.decode("utf-8", "replace") if data[:1] == b"{" else data)
    args = Arguments(command)
    for key in list(command):
        for read in (lambda: args.number(key, -5, 5), lambda: args.text(key), lambda: args.vector(key, 9)):  # noqa: B023
            with contextlib.suppress(PoiseError):
                read()
    json_message(
        "echo", **{key: value for key, value in command.items() if key.isidentifier() and key not in ("kind", "say")}
    ).encode()


class _Page:
    def __init__(self):
        self.desk = None

    def fresh(self):
        from poise.studio.desk import Desk

        self.said = []
        self.desk = Desk(self.said.append, scratch())
        self.desk.execute(STAGE)
        self.desk.execute(POSING[0])
        self.count = 0


_page = _Page()


@fuzzed("desk", conversations, slow=True, compiled=True)
def _desk(data, folder):
    from poise.studio.wire import read_command

    if _page.desk is None or _page.count > 300:
        _page.fresh()
    _page.count += 1
    try:
        for line in data.split(b"\n")[:12]:
            try:
                command = read_command(line)
            except PoiseError:
                continue
            if command["do"] in LONG or (command["do"] == "stage" and command.get("motion") != "stand"):
                continue
            _page.desk.execute(command)
            for message in _page.said:
                message if isinstance(message, bytes) else json.loads(message).get("say")
            _page.said.clear()
    except BaseException:
        _page.desk = None
        raise


@fuzzed("upload", lambda: [b"a.bvh\n" + BVH.encode(), *(b"s.toml\n" + seed for seed in TARGETS["script"].seeds()[:3])])
def _upload(data, folder):
    from poise.studio.transfers import check_content, check_upload, safe_upload_name

    name, _, content = data.partition(b"\n")
    check_upload(text(name), len(content))
    check_content(text(name), content)
    if not safe_upload_name(text(name)) or "/" in safe_upload_name(text(name)):
        raise ValueError("unsafe name")
