"""Bad input is refused in one line that names the culprit, and no files are left behind."""

import numpy as np
import pytest
from commanding import BALL, BODIES, COMMANDS, NO_ROOT, PLATFORM, refuse

from poise import Body, PoiseError, Scene, World, named_controller, named_motion, perform


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("juggle",), ("motion", "'juggle'", "fall", "stand")),
        (("stand", "--body", "humna37"), ("body", "'humna37'", "Did you mean 'human37'", *BODIES)),
        (("stand", "--body", "gone.xml"), ("gone.xml", "No such file")),
        (("stand", "--body", "broken.xml"), ("broken.xml", "not well-formed")),
        (("stand", "--body", "no_root.xml"), ("no_root.xml", "no free root", "'torso'")),
        (("stand", "--body", "text.xml"), ("text.xml", "XML")),
        (("stand", "--body", "nan.xml"), ("nan.xml", "nan")),
        (("stand", "--controller", "modle"), ("controller", "'modle'", "hold", "limp")),
        (("stand", "--terrain", "lava"), ("terrain", "'lava'", "flat", "slope", "stairs", "rough", "drop")),
        (("stand", "--terrain", "stairs:1"), ("'stairs:1'", "stairs:RISE:RUN:COUNT")),
        (("stand", "--terrain", "slope:steep"), ("'slope:steep'", "slope:DEG")),
        (("stand", "--terrain", "slope:nan"), ("'slope:nan'",)),
        (("stand", "--terrain", "rough:0.1:-1"), ("rough:0.1:-1",)),
        (("stand", "--terrain", "gone.toml"), ("gone.toml", "No such file")),
        (("stand", "--terrain", "broken.toml"), ("broken.toml",)),
        (("stand", "--terrain", "base.toml"), ("base.toml", "base")),
        (("stand", "--terrain", "base_nan.toml"), ("base_nan.toml", "base")),
        (("stand", "--seconds", "-1"), ("-1",)),
        (("stand", "--seconds", "0"), ("seconds",)),
        (("stand", "--seconds", "nan"), ("nan",)),
        (("stand", "--seconds", "inf"), ("inf",)),
        (("stand", "--seconds", "long"), ("--seconds", "'long'")),
        (("stand", "--step", "0"), ("step", "0.0")),
        (("stand", "--step", "nan"), ("step", "nan")),
        (("stand", "--step", "1"), ("step", "1.0")),
        (("stand", "--friction", "-0.1"), ("friction", "-0.1")),
        (("stand", "--friction", "nan"), ("friction", "nan")),
        (("stand", "--noise", "nan"), ("noise",)),
        (("stand", "--noise", "inf"), ("noise",)),
        (("stand", "--noise", "0.1", "--seed", "-1"), ("seed", "-1")),
        (("stand", "--seed", "many"), ("--seed", "'many'")),
        (("stand", "--limits", "giant"), ("'giant'", "athlete", "human")),
        (("stand", "--set", "stiffness"), ("'stiffness'", "KEY=VALUE")),
        (("stand", "--set", "stifness=1"), ("'stifness'", "Did you mean 'stiffness'", "damping")),
        (("stand", "--set", "stiffness=soft"), ("stiffness", "'soft'")),
        (("stand", "--controller", "nqr", "--set", "cycles=1.5"), ("cycles", "'1.5' is not a whole number")),
        (("stand", "--set", "stiffness=nan"), ("stiffness",)),
        (("stand", "--set", "stiffness=inf"), ("stiffness",)),
        (("stand", "--set", "damping=-1"), ("damping",)),
        (("stand", "--load", "right_hand"), ("'right_hand'", "LINK=KG")),
        (("stand", "--load", "tail=3"), ("'tail'", "right_hand")),
        (("stand", "--load", "head=-3"), ("-3.0 kg", "'head'")),
        (("stand", "--controller", "pendulum", "--body", "lamp14"), ("'lamp14'", "1 feet")),
        (("stand", "--controller", "pendulum", "--steer", "0s:0@5"), ("pendulum", "-0.6 to 1.8 m/s", "5")),
        (("stand", "--controller", "pendulum", "--steer", ""), ("steer", "TIMEs:DEG")),
        (("stand", "--push", "hard"), ("'hard'", "FORCE[@TIME]")),
        (("stand", "--push", "nan"), ("push", "nan")),
        (("stand", "--push", "50,body=tail"), ("'tail'", "pelvis", "left_foot")),
        (("stand", "--push", "50@-1"), ("push", "time >= 0")),
        (("stand", "--push", "50,duration=0"), ("push", "duration > 0")),
        (("stand", "--push", "50,dir=0:0:0"), ("'50,dir=0:0:0'",)),
        (("stand", "--out", "file"), ("file",)),
        (("stand", "--out", "file/below/it"), ("file/below/it",)),
        (("stand", "--out", "n" * 300), ("too long",)),
        ((), ("motion",)),
        (("stand", "--nonsense"), ("--nonsense",)),
        (("sta\nnd",), ("motion",)),
    ],
    ids=lambda value: " ".join(value)[:40].replace("\n", " ") if isinstance(value, tuple) else None,
)
def test_perform_refuses_in_one_line(arguments, words, here, capfd):
    for name, text in {
        "file": "in the way",
        "broken.xml": "<mujoco><worldbody>",
        "text.xml": "just text",
        "no_root.xml": NO_ROOT,
        "nan.xml": BALL.replace(".1", "nan"),
        "broken.toml": "platform = ",
        "base.toml": 'base = "low"\n' + PLATFORM,
        "base_nan.toml": "base = nan\n" + PLATFORM,
    }.items():
        (here / name).write_text(text)
    extra = () if "--out" in arguments else ("--out", "out")
    extra += () if "--seconds" in arguments else ("--seconds", "0.05")
    refuse(["perform", *arguments, *extra], capfd, *words)


def test_a_refusal_with_json_leaves_stdout_empty(here, capfd):
    refuse(["perform", "stand", "--body", "nobody", "--json"], capfd, "'nobody'")


def test_an_unknown_command_is_refused_with_the_choices(here, capfd):
    refuse(["dance"], capfd, "'dance'", *COMMANDS)


def test_unknown_kinds_are_refused_with_the_choices(here, capfd):
    refuse(["list", "hats"], capfd, "'hats'", "bodies", "motions", "controllers", "scripts", "terrains", "formats")


def test_a_bench_without_steps_is_refused(here, capfd):
    refuse(["bench", "--steps", "0"], capfd, "0 steps")


def test_unknown_joints_are_refused_with_the_choices():
    body = Body.named("biped29")
    for ask in (body.joint, body.index, lambda name: body.qpos_from({name: 0.0})):
        with pytest.raises(PoiseError, match=r"unknown joint 'tail'.*left_hip"):
            ask("tail")


def test_not_a_number_in_a_pose_is_refused():
    body = Body.named("biped29")
    with pytest.raises(PoiseError, match="left_knee"):
        body.qpos_from({"left_knee": np.nan})
    world = World(Scene.of(body))
    for index, number in ((9, np.nan), (12, np.inf)):
        pose = np.array(body.standing)
        pose[index] = number
        with pytest.raises(PoiseError, match=f"pose: number {index} is not finite"):
            world.reset(pose, np.zeros(body.nv))
        velocity = np.zeros(body.nv)
        velocity[index] = number
        with pytest.raises(PoiseError, match=f"velocity: number {index} is not finite"):
            world.reset(np.array(body.standing), velocity)
    with pytest.raises(PoiseError, match="pose has 3 numbers"):
        world.reset(np.zeros(3), np.zeros(body.nv))


@pytest.mark.parametrize("seconds", [-1.0, 0.0, np.nan, np.inf, -np.inf])
def test_perform_in_python_refuses_impossible_durations(seconds):
    body = Body.named("lamp14")
    with pytest.raises(PoiseError, match="seconds"):
        perform(World(Scene.of(body)), named_controller("hold"), named_motion("stand", body), seconds=seconds)
