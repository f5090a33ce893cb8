"""Write the example motions: a walk, a squat and a jump, made from tables of key values and nothing captured.

    python examples/motions/author.py

Each file has something that real files have and an importer must see through: feet that slide a little, other names,
units and axes, a T-pose before the motion, a frame rate that gravity contradicts.

The walk's feet roll from heel to toe with the timing of normal gait [Winter2009]; its legs follow them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from scipy.interpolate import CubicSpline, PchipInterpolator

from poise.arrays import readonly
from poise.motion.bvh import write_bvh
from poise.motion.clip import Clip, clip_from
from poise.motion.skeleton import Convention, End, Skeleton
from poise.rotations import Array, quat_conjugate, quat_from_axis_angle, quat_multiply, quat_rotate

HERE = Path(__file__).parent
X, Y, Z = np.eye(3)
Z_UP = readonly([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # ours from: z up, the figure faces -y

MIXAMO = {
    "pelvis": "mixamorig:Hips", "spine": "mixamorig:Spine", "chest": "mixamorig:Spine1", "neck": "mixamorig:Neck",
    "head": "mixamorig:Head", "clavicle": "mixamorig:{}Shoulder", "upper_arm": "mixamorig:{}Arm",
    "forearm": "mixamorig:{}ForeArm", "hand": "mixamorig:{}Hand", "thigh": "mixamorig:{}UpLeg",
    "shank": "mixamorig:{}Leg", "foot": "mixamorig:{}Foot", "toes": "mixamorig:{}ToeBase",
}  # fmt: skip
XSENS = {
    "pelvis": "Hips", "spine": "Chest", "chest": "Chest2", "neck": "Neck", "head": "Head", "clavicle": "{}Collar",
    "upper_arm": "{}Shoulder", "forearm": "{}Elbow", "hand": "{}Wrist", "thigh": "{}Hip", "shank": "{}Knee",
    "foot": "{}Ankle", "toes": "{}Toe",
}  # fmt: skip
BIPED = {
    "pelvis": "Bip01", "spine": "Bip01 Spine", "chest": "Bip01 Spine1", "neck": "Bip01 Neck", "head": "Bip01 Head",
    "clavicle": "Bip01 {} Clavicle", "upper_arm": "Bip01 {} UpperArm", "forearm": "Bip01 {} Forearm",
    "hand": "Bip01 {} Hand", "thigh": "Bip01 {} Thigh", "shank": "Bip01 {} Calf", "foot": "Bip01 {} Foot",
    "toes": "Bip01 {} Toe0",
}  # fmt: skip

TREE = (  # part, parent, offset in m for a figure of 1.75 m in a T-pose; limbs are the left ones
    ("pelvis", None, (0.0, 0.0, 0.93)),
    ("thigh", "pelvis", (0.0, 0.092, -0.02)),
    ("shank", "thigh", (0.0, 0.0, -0.43)),
    ("foot", "shank", (0.0, 0.0, -0.41)),
    ("toes", "foot", (0.13, 0.0, -0.05)),
    ("spine", "pelvis", (0.0, 0.0, 0.12)),
    ("chest", "spine", (0.0, 0.0, 0.15)),
    ("neck", "chest", (0.0, 0.0, 0.23)),
    ("head", "neck", (0.02, 0.0, 0.10)),
    ("clavicle", "chest", (0.0, 0.05, 0.19)),
    ("upper_arm", "clavicle", (0.0, 0.13, 0.0)),
    ("forearm", "upper_arm", (0.0, 0.29, 0.0)),
    ("hand", "forearm", (0.0, 0.25, 0.0)),
)
TIPS = {"toes": (0.07, 0.0, 0.0), "head": (0.0, 0.0, 0.18), "hand": (0.0, 0.17, 0.0)}
ANKLE, HEEL, BALL = np.array([[0.0, 0.07], [-0.05, 0.0], [0.13, 0.02]])  # m, forward and up, of a foot that stands
STRIDE, REACH, SLIDE = 1.3, 0.34, 0.015  # m: per cycle, from hip to heel strike, of a foot while it stands
PAIRED = ("thigh", "shank", "foot", "toes", "clavicle", "upper_arm", "forearm", "hand")

Turns = Mapping[tuple[str, str], Array]  # (part, side) to local rotations (T, 4)


def skeleton(
    names: Mapping[str, str], sides: tuple[str, str], convention: Convention
) -> tuple[Skeleton, list[tuple[str, str]]]:
    """The figure under other names, and which (part, side) each joint is."""
    keys: list[tuple[str, str]] = []

    def visit(part: str, side: str) -> None:
        keys.append((part, side))
        for child, parent, _ in TREE:
            if parent == part:
                for branch in ("left", "right") if child in PAIRED and not side else (side,):
                    visit(child, branch)

    visit("pelvis", "")
    flip = {"": 1.0, "left": 1.0, "right": -1.0}
    offset = {part: np.array(vector) for part, _, vector in TREE}
    parent = {part: above for part, above, _ in TREE}
    parents = [-1] + [keys.index((parent[part], side if parent[part] in PAIRED else "")) for part, side in keys[1:]]
    word = {"": "", "left": sides[0], "right": sides[1]}
    return (
        Skeleton(
            names=tuple(names[part].format(word[side]) for part, side in keys),
            parents=tuple(parents),
            offsets=readonly([offset[part] * (1, flip[side], 1) for part, side in keys]),
            ends=tuple(
                End(k, readonly(np.array(TIPS[part]) * (1, flip[side], 1)))
                for k, (part, side) in enumerate(keys)
                if part in TIPS
            ),
            convention=convention,
        ),
        keys,
    )  # fmt: skip


def turn(axis: Array, degrees: Array) -> Array:
    """Turns (T, 4) about an axis."""
    return quat_from_axis_angle(axis, np.radians(degrees))


def curve(keys: str, period: float = 100.0) -> Callable[[Array], Array]:
    """A smooth periodic curve through 'percent:value' pairs."""
    at, value = np.array([pair.split(":") for pair in keys.split()], float).T
    spline = CubicSpline(np.append(at, period + at[0]), np.append(value, value[0]), bc_type="periodic")
    return lambda percent: np.asarray(spline(np.mod(percent - at[0], period) + at[0]))


def pose_curve(keys: str) -> Callable[[Array], Array]:
    """A curve through 'time:value' pairs that never overshoots them."""
    at, value = np.array([pair.split(":") for pair in keys.split()], float).T
    return PchipInterpolator(at, value, extrapolate=True)


def figure(flexion: Mapping[tuple[str, str], Array], frames: int) -> dict[tuple[str, str], Array]:
    """Local turns of all parts from flexion angles in degrees: forward bends of trunk and limbs, heel to seat."""
    still = np.zeros(frames)
    turns: dict[tuple[str, str], Array] = {}
    for part in ("spine", "chest", "neck", "head"):
        turns[part, ""] = turn(Y, flexion.get((part, ""), still))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for part, direction in (("thigh", -1.0), ("shank", 1.0), ("foot", -1.0), ("toes", -1.0)):
            turns[part, side] = turn(Y, direction * flexion.get((part, side), still))
        dropped = turn(X, np.full(frames, -82.0 * sign))
        turns["upper_arm", side] = quat_multiply(turn(Y, -flexion.get(("upper_arm", side), still)), dropped)
        turns["forearm", side] = turn(Z, -sign * flexion.get(("forearm", side), still))
        turns["clavicle", side] = turns["hand", side] = turn(Z, still)
    return turns


def clip(name: str, figure_of: tuple[Skeleton, list[tuple[str, str]]], rate: float, root: Array, turns: Turns) -> Clip:
    """A clip of local turns and root places."""
    bones, keys = figure_of
    rotation = np.stack([turns[key] for key in keys], axis=1)
    return clip_from(name, bones, rate, root, rotation)


def grounded(motion: Clip, feet: tuple[str, ...], sole: float = 0.02) -> Array:
    """Root places with the lower toe `sole` above the ground in every frame."""
    toes = [motion.skeleton.names.index(name) for name in feet]
    tips = [k for k, end in enumerate(motion.skeleton.ends) if end.joint in toes]
    heights = np.concatenate([motion.places.ends[:, tips, 2], motion.places.position[:, toes, 2]], axis=1)
    root = np.array(motion.position)
    root[:, 2] -= heights.min(axis=1) - sole
    return root


def walk() -> Clip:
    """Four strides; Mixamo's names, centimetres, y up, 60 frames a second; the feet slide a little."""
    rate, stride = 60.0, 1.08
    time = np.arange(round(4 * stride * rate) + 1) / rate
    percent = 100 * time / stride
    arm = curve("0:-20 12:-16 30:2 50:20 65:15 82:-4")
    elbow = curve("0:12 25:16 50:30 70:24 88:14")
    flexion = {("spine", ""): np.full(len(time), 3.0)}
    for side, lag in (("left", 0.0), ("right", 50.0)):
        flexion["upper_arm", side], flexion["forearm", side] = arm(percent + lag), elbow(percent + lag)
    turns = figure(flexion, len(time))
    swing = np.sin(2 * np.pi * (percent - 12) / 100)
    turns["pelvis", ""] = quat_multiply(turn(Z, -5.0 * np.cos(2 * np.pi * percent / 100)), turn(X, 3.0 * swing))
    turns["chest", ""] = turn(Z, 9.0 * np.cos(2 * np.pi * percent / 100))
    height = 0.893 - 0.017 * np.cos(4 * np.pi * (percent - 3) / 100)
    root = np.stack([STRIDE * percent / 100, 0.02 * swing, height], axis=1)
    for side, lag, sign in (("left", 0.0, 1.0), ("right", 50.0, -1.0)):
        ankle, pitch, toes = footsteps(percent + lag)
        ankle += (-STRIDE * lag / 100, 0.075 * sign, 0.0)
        turns |= leg(side, root, turns["pelvis", ""], ankle, turn(Y, -pitch))
        turns["toes", side] = turn(Y, -toes)
    return clip("walk", skeleton(MIXAMO, ("Left", "Right"), Convention()), rate, root, turns)


def footsteps(percent: Array) -> tuple[Array, Array, Array]:
    """Places (T, 3) of the ankle, and degrees by which foot and toes point up, from heel strike at 0 to the next.

    The foot rolls over its heel, stands, rolls over its ball, leaves the ground at 62 and is carried forward.
    """
    pitch = pose_curve("0:18 4:10 9:0 36:0 45:-8 54:-23 62:-42 69:-44 78:-22 87:5 95:18 100:18")
    toes = pose_curve("0:0 36:0 45:8 54:23 62:40 70:18 78:4 87:0 100:0")
    here = np.mod(percent, 100.0)
    stance = np.linspace(0.0, 62.0, 32)
    rolled = rolling(pitch(stance))
    slide = -SLIDE * stance / 62
    x = np.concatenate([rolled[:, 0] + slide, [0.33, 0.66, 1.0, 1.25], [rolled[0, 0] + STRIDE]])
    z = np.concatenate([rolled[:, 1], [0.20, 0.135, 0.09, 0.09], rolled[:1, 1]])
    at = np.concatenate([stance, [70.0, 79.0, 88.0, 95.0], [100.0]])
    place = np.stack([CubicSpline(at, x)(here) + STRIDE * (percent // 100), 0 * here, CubicSpline(at, z)(here)], axis=1)
    return place + (REACH, 0.0, 0.0), pitch(here), toes(here)


def rolling(pitch: Array) -> Array:
    """Places (T, 2), forward and up, of the ankle above a foot that stands on its heel or on its ball."""
    cos, sin = np.cos(np.radians(pitch)), np.sin(np.radians(pitch))
    pivot = np.where(pitch[:, None] > 0, HEEL, BALL)
    x, z = (ANKLE - pivot).T
    return np.asarray(pivot + np.stack([x * cos - z * sin, x * sin + z * cos], axis=1))


def leg(side: str, root: Array, pelvis: Array, ankle: Array, foot: Array) -> dict[tuple[str, str], Array]:
    """Local turns of a leg that puts the ankle at a place and turns the foot as told: two bones and a hinge."""
    offset = {part: np.array(vector) for part, _, vector in TREE}
    hip = root + quat_rotate(pelvis, offset["thigh"] * (1, 1 if side == "left" else -1, 1))
    way = quat_rotate(quat_conjugate(pelvis), ankle - hip)
    upper, lower = (float(np.linalg.norm(offset[part])) for part in ("shank", "foot"))
    far = np.minimum(np.linalg.norm(way, axis=1), 0.9995 * (upper + lower))
    knee = np.pi - np.arccos((upper**2 + lower**2 - far**2) / (2 * upper * lower))
    ahead = np.arctan2(way[:, 0], np.hypot(way[:, 1], way[:, 2]))
    flexed = ahead + np.arccos((upper**2 + far**2 - lower**2) / (2 * upper * far))
    aside = np.arctan2(way[:, 1], -way[:, 2])
    thigh = quat_multiply(turn(X, np.degrees(aside)), turn(Y, -np.degrees(flexed)))
    shank = turn(Y, np.degrees(knee))
    above = quat_multiply(pelvis, quat_multiply(thigh, shank))
    return {
        ("thigh", side): thigh,
        ("shank", side): shank,
        ("foot", side): quat_multiply(quat_conjugate(above), foot),
    }


def squat() -> Clip:
    """Down, a pause and up again with the arms held out; Xsens' names, metres, z up, 30 frames a second."""
    rate = 30.0
    time = np.arange(round(3.6 * rate) + 1) / rate
    bend = pose_curve("0:0 0.5:0 1.5:1 2.1:1 3.1:0 3.6:0")(time)
    turns = figure(
        {("thigh", side): 92 * bend for side in ("left", "right")}
        | {("shank", side): 106 * bend for side in ("left", "right")}
        | {("foot", side): 22 * bend for side in ("left", "right")}
        | {("upper_arm", side): 8 + 74 * bend for side in ("left", "right")}
        | {("forearm", side): 10 + 4 * bend for side in ("left", "right")}
        | {("spine", ""): 12 * bend, ("chest", ""): 10 * bend, ("neck", ""): -16 * bend},
        len(time),
    )
    turns["pelvis", ""] = turn(Y, 8 * bend)
    root = np.stack([-0.16 * bend, 0 * bend, 0.93 - 0.4 * bend], axis=1)
    bones = skeleton(XSENS, ("Left", "Right"), Convention(1.0, Z_UP))
    sketch = clip("squat", bones, rate, root, turns)
    return clip("squat", bones, rate, grounded(sketch, ("LeftToe", "RightToe")), turns)


def jump() -> Clip:
    """A jump on the spot after a T-pose; 3ds Max biped names, inches, and a header of 120 where 60 is true."""
    rate, leave, flight = 60.0, 1.0, 0.46
    land = leave + flight
    time = np.arange(round(2.6 * rate) + 1) / rate
    bend = pose_curve(f"0:0.06 0.3:0.06 0.72:0.9 {leave}:0 {land}:0.12 {land + 0.28}:0.8 2.3:0.06 2.6:0.06")(time)
    point = pose_curve(f"0:0 0.85:0 {leave}:38 1.2:30 {land}:24 {land + 0.1}:0 2.6:0")(time)
    raise_arms = pose_curve(f"0:5 0.3:5 0.7:-45 {leave}:120 1.2:130 {land + 0.2}:40 2.2:5 2.6:5")(time)
    turns = figure(
        {("thigh", side): 80 * bend for side in ("left", "right")}
        | {("shank", side): 96 * bend for side in ("left", "right")}
        | {("foot", side): 24 * bend - point for side in ("left", "right")}
        | {("toes", side): 0.8 * point for side in ("left", "right")}
        | {("upper_arm", side): raise_arms for side in ("left", "right")}
        | {("forearm", side): 12 + 20 * bend for side in ("left", "right")}
        | {("spine", ""): 22 * bend, ("chest", ""): 14 * bend, ("neck", ""): -20 * bend},
        len(time),
    )
    turns["pelvis", ""] = turn(Y, 12 * bend)
    root = np.stack([-0.14 * bend, 0 * bend, np.full(len(time), 0.9)], axis=1)
    bones = skeleton(BIPED, ("L", "R"), Convention(0.0254))
    feet = ("Bip01 L Toe0", "Bip01 R Toe0")
    root = grounded(clip("jump", bones, rate, root, turns), feet)
    airborne = (time > leave) & (time < land)
    fall = 9.81 / 2 * (time - leave) * (land - time)  # the centre of mass in flight
    sketch = clip("jump", bones, rate, root, turns)
    ends = np.interp(time, [leave, land], np.interp([leave, land], time, balance(sketch)))
    root[:, 2] += np.where(airborne, ends + fall - balance(sketch), 0.0)
    still = figure({}, 1)
    still |= {("pelvis", ""): turn(X, np.zeros(1))}
    still |= {("upper_arm", side): turn(X, np.zeros(1)) for side in ("left", "right")}
    turns = {key: np.concatenate([still[key], value]) for key, value in turns.items()}
    lying_header = 120.0
    return clip("jump", bones, lying_header, np.concatenate([root[:1], root]), turns)


def balance(motion: Clip) -> Array:
    """Height (T,) of the centre of mass, roughly: joints weighted like the segments that hang on them."""
    shares = {"Spine1": 0.28, "Bip01": 0.14, "Spine": 0.14, "Head": 0.08, "Thigh": 0.07, "Calf": 0.1, "Foot": 0.03,
              "UpperArm": 0.015, "Forearm": 0.025, "Hand": 0.01}  # fmt: skip
    weights = np.array([shares.get(name.split()[-1], 0.0) for name in motion.skeleton.names])
    return np.asarray(motion.places.position[:, :, 2] @ (weights / weights.sum()))


if __name__ == "__main__":
    for make in (walk, squat, jump):
        print("wrote", write_bvh(make(), HERE / f"{make.__name__}.bvh"))
