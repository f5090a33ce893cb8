"""Valid inputs from which the fuzzing starts."""

import json
import os
import subprocess
import sys
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path

import numpy as np
from mutator import archive

HERE = Path(__file__).parent
PACKAGE = Path(__import__("poise").__file__).parent
EXAMPLES = HERE.parents[1] / "examples"


BVH = """HIERARCHY
ROOT hips
{
 OFFSET 0 0 0
 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
 JOINT leg
 {
  OFFSET 0 -4 0
  CHANNELS 3 Zrotation Xrotation Yrotation
  End Site
  {
   OFFSET 0 -4 0.5
  }
 }
}
MOTION
Frames: 3
Frame Time: 0.0333333
0 9 0 0 0 0 10 0 0
0 9 1 0 5 0 20 0 0
0 9 2 0 0 0 30 0 0
"""
ASF = """:version 1.10
:name figure
:units
  mass 1.0
  length 0.45
  angle deg
:root
   order TX TY TZ RX RY RZ
   axis XYZ
   position 0 0 0
   orientation 0 0 0
:bonedata
  begin
     id 1
     name leg
     direction 0 -1 0
     length 4
     axis 10 0 20 XYZ
     dof rx ry rz
     limits (-160.0 20.0)
            (-70.0 70.0)
            (-60.0 70.0)
  end
  begin
     id 2
     name foot
     direction 0 0 1
     length 1
     axis 0 0 0 XYZ
  end
:hierarchy
  begin
    root leg
    leg foot
  end
"""
AMC = ":FULLY-SPECIFIED\n:DEGREES\n1\nroot 0 9 0 0 0 0\nleg 1 2 3\n2\nroot 0 9 1 0 0 0\nleg 4 5 6\n"


def amass_seeds():
    person = {
        "trans": np.zeros((3, 3)),
        "mocap_framerate": np.array(60.0),
        "gender": np.array("neutral"),
        "betas": np.zeros(16),
    }
    return [
        archive({"poses": np.zeros((3, 156)), **person}),
        archive({"poses": np.zeros((3, 66)), **person}),
        archive(
            {
                "pose_body": np.zeros((3, 63)),
                "root_orient": np.zeros((3, 3)),
                **person,
                "surface_model_type": np.array("smplx"),
            }
        ),
    ]


def clip_seeds():
    from poise.arrays import readonly
    from poise.motion.clip import clip_from, save_clip
    from poise.motion.skeleton import End, Skeleton

    skeleton = Skeleton(("a", "b"), (-1, 0), readonly([[0, 0, 0], [0, 0, 1]]), (End(1, readonly([0, 0, 1])),))
    clip = clip_from("c", skeleton, 30.0, np.zeros((3, 3)), np.tile([1.0, 0, 0, 0], (3, 2, 1)))
    return [save_clip(clip, scratch() / "clip.npz").read_bytes()]


MJCF = """<mujoco model="one">
 <compiler angle="degree"/><default><geom density="900"/><default class="a"><joint damping="1"/></default></default>
 <asset><hfield name="h" nrow="3" ncol="3" size="1 1 1 .1"/><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>
 <worldbody><light pos="0 0 3"/><geom type="plane" size="1 1 1"/>
  <body name="torso" pos="0 0 1"><freejoint/><geom type="capsule" fromto="0 0 0 0 0 .4" size=".1"/>
   <body name="left_thigh" pos="0 .1 0"><joint name="left_hip" type="ball" range="0 90"/><geom type="capsule" fromto="0 0 0 0 0 -.4" size=".05"/>
    <body name="left_foot" pos="0 0 -.4" childclass="a"><joint name="left_ankle" axis="0 1 0" range="-30 30"/><geom type="box" size=".1 .04 .02"/></body></body>
   <body name="right_thigh" pos="0 -.1 0"><joint name="right_hip" type="ball" range="0 90"/><geom type="capsule" fromto="0 0 0 0 0 -.4" size=".05"/>
    <body name="right_foot" pos="0 0 -.4" childclass="a"><joint name="right_ankle" axis="0 1 0" range="-30 30"/><geom type="box" size=".1 .04 .02"/></body></body>
   <body name="head" pos="0 0 .5"><geom type="mesh" mesh="m"/></body>
  </body></worldbody>
 <actuator><motor joint="left_ankle" gear="50" ctrlrange="-1 1"/><position joint="right_ankle" kp="9" forcerange="-9 9"/></actuator>
 <keyframe><key name="stand" qpos="0 0 1 1 0 0 0 1 0 0 0 0 1 0 0 0 0"/></keyframe>
</mujoco>
"""
MJCF_SECOND = """<mujoco><size memory="1M" nuser_geom="2"/><option timestep="0.01"/><custom><numeric name="n" size="3" data="1"/></custom>
<asset><texture name="t" builtin="checker" width="8" height="8"/><material name="g" texture="t"/></asset>
<include file="other.xml"/><worldbody><body name="base"><freejoint name="r"/><geom size=".1" material="g"/><frame pos="1 0 0">
<replicate count="3" offset="0 0 .1"><geom size=".05"/></replicate></frame><body name="hand"><joint name="a"/><joint name="b" axis="1 0 0"/>
<geom type="cylinder" size=".1 .2" mass="1"/><site name="s"/></body></body></worldbody>
<contact><exclude body1="base" body2="hand"/></contact><tendon><fixed name="f"><joint joint="a" coef="1"/></fixed></tendon>
<actuator><muscle joint="a"/><general tendon="f"/></actuator><sensor><user dim="3"/></sensor></mujoco>"""


@cache
def scratch():
    import tempfile

    return Path(tempfile.mkdtemp(prefix="poise-fuzz-"))


PERFORMED = """
from poise.performance.request import Request
run = Request("stand", "lamp14", "hold", seconds=0.05, pushes=("20@0.01",)).perform()
run.recording.save(__import__("pathlib").Path("recording.npz"))
"""


def recording_seeds():
    """A short performance of a lamp that is pushed; in another process, because atheris disturbs numba."""
    made = scratch() / "recording.npz"
    if not made.exists():
        environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
        subprocess.run([sys.executable, "-c", PERFORMED], cwd=scratch(), env=environment, check=True)
    return [made.read_bytes()]


def reference_seeds():
    import poise
    from poise.body.body import Body
    from poise.library.motions import named_motion

    lamp = named_motion("stand", Body.named("lamp14"))
    made = [poise.save_prepared(lamp.clip, scratch() / "lamp.npz")] if hasattr(lamp, "clip") else []
    body = Body.from_mjcf(MJCF)
    clip = poise.BodyClip("own", body, 30.0, np.tile(body.standing, (3, 1)), None, False)
    made.append(poise.save_prepared(clip, scratch() / "own.npz"))
    return [path.read_bytes() for path in made]


TERRAIN = (
    "base = -0.5\n[[platform]]\nx = [-1, 1]\ny = [-1, 1]\nz = 0.5\n\n[[platform]]\nx = [1, 2]\ny = [-1, 1]\nz = 0.0\n"
)


EDITS = [
    "offset:neck_y=10@1-2,ease=0.2", "offset:left_hip=1:2:3", "trunk:-0.1@1-2", "carry:front@1-", "warp:1.2@1-2,ease=0.3",
    "stride:+0.1", "stride:x1.2@0.5", "turn:45@1-3", "path:1:0/2:1@0.5", "slope:8@1", "stairs:0.1:0.3:5@1,edge=0.4", "mirror",
    "mirror@1,over=0.3", "loop:3@1,over=0.2", "loop", "blend:walk@1,over=0.5,from=0.3", "blend:own.bvh@1",
]  # fmt: skip


SETTINGS = ["nqr footing=3", "pendulum speed=1.2", "modal capture=0.3", "rotation spin=4", "poses damping=1", "hold stiffness=300",
            "limp x=1", "auto x=1", "no.module:Class a=b", "math:pi x=1"]  # fmt: skip


def setting_seeds():
    from poise.control.catalogue import controller_entries

    own = [
        f"{name} {field.name}={getattr(field, 'default', 1)}"
        for name, entry in controller_entries().items()
        if is_dataclass(entry.settings_type)
        for field in fields(entry.settings_type)
    ]
    return [seed.encode() for seed in (*SETTINGS, *own)]


COMMANDS = [
    "perform walk --controller nqr --push 100@2 --seconds 3 --set a=b --edit mirror --steer 0s:0 --load head=1 --json",
    "prepare walk.bvh --span 0.5:1.9 --unit 0.01 --rate 60", "animate punch --solve", "studio --port 8787", "audit out",
    "export out out.csv", "motions get 35_01", "study nqr-timing --quick --seeds 2 --workers 1", "tune roll --seeds 3", "list bodies",
    "bench --steps 3", "--version", "perform --help", "react walk --pushes 3", "demo",
]  # fmt: skip


STAGE = {"do": "stage", "motion": "stand", "body": "lamp14", "controller": "hold", "paused": True}
MESSAGES = [
    {"do": "hello"}, {"do": "play", "on": False}, {"do": "step"}, {"do": "playback_rate", "value": 0.5}, {"do": "reset"},
    {"do": "branch", "time": 0.01, "play": False}, {"do": "push", "force": [10, 0, 0], "duration": 0.1, "body": "head"},
    {"do": "push", "newtons": 20, "degrees": 90}, {"do": "pull", "force": [1, 2, 3], "body": "head"}, {"do": "release"},
    {"do": "hang", "body": "head", "mass": 2}, {"do": "unhang"}, {"do": "steer", "heading": 30, "speed": 1, "lift": 0.1, "step": 0.7},
    {"do": "edit", "text": "trunk:0.1@1-2"}, {"do": "slope", "degrees": 4}, {"do": "transition", "motion": "stand"}, {"do": "judge"},
    {"do": "upload", "upload": "a.bvh", "content": "HIERARCHY"}, {"do": "download", "format": "csv"}, {"do": "fits", "motion": "stand"},
    {"do": "send", "name": "a.bvh", "size": 3},
]  # fmt: skip
POSING = [
    {"do": "pose.new", "body": "lamp14"}, {"do": "pose.key", "time": 1.5}, {"do": "pose.move", "index": 1, "time": 1.2},
    {"do": "pose.copy", "index": 0, "time": 2}, {"do": "pose.mirror", "index": 0}, {"do": "pose.name", "index": 0, "name": "up"},
    {"do": "pose.angle", "index": 0, "dof": "knee_y", "degrees": 20}, {"do": "pose.free", "index": 0, "dof": "knee_y"},
    {"do": "pose.drag", "index": 0, "handle": "head", "place": [0, 0, 1], "done": True}, {"do": "pose.at", "time": 1},
    {"do": "pose.entries", "title": "T", "seconds": 2}, {"do": "pose.goals", "goals": [{"want": "head.height", "value": 1.0}]},
    {"do": "pose.undo"}, {"do": "pose.delete", "index": 0}, {"do": "pose.save"}, {"do": "pose.text", "text": "body = 'lamp14'\n"},
    {"do": "pose.open", "script": "lamp"},
]  # fmt: skip


def conversations():
    return [b"\n".join(json.dumps(message).encode() for message in messages) for messages in
            (MESSAGES[1:10], MESSAGES[10:18], POSING[1:6], POSING[6:12], POSING[10:], [*MESSAGES[5:7], *MESSAGES[2:4]])]  # fmt: skip


def files(*patterns, most=20_000):
    """The contents of the files of the package or the examples that match, the smallest first."""

    def read():
        found = [path for pattern in patterns for root in (PACKAGE, EXAMPLES) for path in root.glob(pattern)]
        return [
            path.read_bytes()
            for path in sorted(found, key=lambda path: path.stat().st_size)
            if path.stat().st_size < most
        ]

    return read
