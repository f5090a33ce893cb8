"""Skeletons written by hand: a person as each family of tools names it, strangers, a dog, a lamp, a snake.

All are in our conventions (metres, x forward, y left, z up), the people in a T-pose of 1.75 m.
"""

import numpy as np

from poise.arrays import readonly
from poise.motion.skeleton import End, Skeleton, skeleton_kinematics
from poise.rotations import quat_between, quat_conjugate, quat_multiply, quat_rotate

PLACES = {
    "root": (0.0, 0.0, 0.95), "spine1": (-0.01, 0.0, 1.05), "spine2": (-0.02, 0.0, 1.17), "spine3": (-0.02, 0.0, 1.29),
    "neck1": (-0.01, 0.0, 1.46), "neck2": (0.0, 0.0, 1.51), "head": (0.01, 0.0, 1.56), "vertex": (0.02, 0.0, 1.75),
    "hip": (0.0, 0.09, 0.92), "knee": (0.01, 0.09, 0.50), "ankle": (-0.02, 0.09, 0.08), "ball": (0.11, 0.09, 0.02),
    "tip": (0.18, 0.09, 0.02), "sternum": (0.0, 0.03, 1.42), "shoulder": (-0.02, 0.18, 1.43),
    "elbow": (-0.02, 0.47, 1.43), "wrist": (-0.02, 0.72, 1.43), "knuckle": (-0.02, 0.81, 1.43),
    "fingertip": (-0.02, 0.90, 1.43), "thumb": (0.02, 0.75, 1.42), "thumbtip": (0.05, 0.79, 1.42),
    "mid_thigh": (0.005, 0.09, 0.71), "mid_arm": (-0.02, 0.33, 1.43),
}  # fmt: skip
MIDDLE = ("root", "spine1", "spine2", "spine3", "neck1", "neck2", "head")
LEG, ARM = ("hip", "knee", "ankle", "ball"), ("sternum", "shoulder", "elbow", "wrist")


def tree(rows, ends=()):
    """From (name, parent's name, place in the world)."""
    names = [name for name, _, _ in rows]
    at = {name: np.array(place, float) for name, _, place in rows}
    offsets = [at[name] - at[parent] if parent else np.zeros(3) for name, parent, _ in rows]
    tips = tuple(End(names.index(name), readonly(np.array(place) - at[name])) for name, place in ends)
    parents = tuple(names.index(parent) if parent else -1 for _, parent, _ in rows)
    return Skeleton(tuple(names), parents, readonly(offsets), tips)


def sided(place, side):
    x, y, z = PLACES[place]
    return (x, y if side == "left" else -y, z)


def person(middle, leg, arm, sides, extra=()):
    """A figure; `middle`, `leg` and `arm` hold (landmark, name) down the chains, "{}" in names stands for the side.

    `extra` are (name, parent's name, landmark) of fingers, twists and the like.
    """
    rows, ends = [], []
    trunk = [(PLACES[mark], name) for mark, name in middle]
    carrier = next(name for mark, name in reversed(middle) if mark.startswith("spine"))

    def chain(parts, parent, tip):
        for place, name in parts:
            rows.append((name, parent, place))
            parent = name
            for child, above, mark in extra:
                for side, word in zip(("left", "right"), sides, strict=True):
                    if above.format(word) == name and (above != above.format(word) or side == "left"):
                        rows.append((child.format(word), name, sided(mark, side)))
        ends.append((parent, tip))

    lower = [p for p in trunk if p[1] == middle[0][1]]
    rows.append((lower[0][1], None, lower[0][0]))
    for side, word in zip(("left", "right"), sides, strict=True):
        chain([(sided(m, side), n.format(word)) for m, n in leg], middle[0][1], sided("tip", side))
    upto = [name for _, name in trunk].index(carrier)
    for place, name in trunk[1 : upto + 1]:
        rows.append(
            (name, rows[0][0] if name == trunk[1][1] else trunk[[n for _, n in trunk].index(name) - 1][1], place)
        )
    chain(trunk[upto + 1 :], carrier, PLACES["vertex"])
    for side, word in zip(("left", "right"), sides, strict=True):
        chain([(sided(m, side), n.format(word)) for m, n in arm], carrier, sided("fingertip", side))
    return tree(rows, ends)


def pairs(marks, names):
    return list(zip(marks, names.split(", "), strict=True))


def mixamo():
    middle = pairs(("root", "spine1", "spine2", "spine3", "neck1", "head"), "Hips, Spine, Spine1, Spine2, Neck, Head")
    fingers = [("mixamorig:{}HandThumb1", "mixamorig:{}Hand", "thumb"),
               ("mixamorig:{}HandIndex1", "mixamorig:{}Hand", "knuckle")]  # fmt: skip
    return person(
        [(m, f"mixamorig:{n}") for m, n in middle],
        pairs(LEG, "mixamorig:{}UpLeg, mixamorig:{}Leg, mixamorig:{}Foot, mixamorig:{}ToeBase"),
        pairs(ARM, "mixamorig:{}Shoulder, mixamorig:{}Arm, mixamorig:{}ForeArm, mixamorig:{}Hand"),
        ("Left", "Right"),
        fingers,
    )


def cmu():
    """With zero-length helpers, as the cgspeed conversion has them."""
    places = {**PLACES, "at_root": PLACES["root"]}
    middle = [("root", "Hips"), ("root", "LowerBack"), ("spine1", "Spine"), ("spine3", "Spine1"), ("spine3", "Neck"),
              ("neck2", "Neck1"), ("head", "Head")]  # fmt: skip
    rows = [("Hips", None, places["root"])]
    ends = [("Head", PLACES["vertex"])]
    for side, word in (("left", "Left"), ("right", "Right")):
        rows.append((f"{word[0]}HipJoint", "Hips", places["root"]))
        names = [f"{word[0]}HipJoint", f"{word}UpLeg", f"{word}Leg", f"{word}Foot", f"{word}ToeBase"]
        rows += [(n, p, sided(m, side)) for n, p, m in zip(names[1:], names, LEG, strict=False)]
        ends.append((names[-1], sided("tip", side)))
    names = [name for _, name in middle]
    rows += [(n, p, places[m]) for (m, n), p in zip(middle[1:], names, strict=False)]
    for side, word in (("left", "Left"), ("right", "Right")):
        names = ["Spine1", f"{word}Shoulder", f"{word}Arm", f"{word}ForeArm", f"{word}Hand", f"{word}FingerBase",
                 f"{word}HandIndex1"]  # fmt: skip
        marks = ("spine3", "shoulder", "elbow", "wrist", "wrist", "knuckle")
        rows += [(n, p, sided(m, side)) for n, p, m in zip(names[1:], names, marks, strict=False)]
        rows.append((f"{word[0]}Thumb", f"{word}Hand", sided("wrist", side)))
        ends += [(names[-1], sided("fingertip", side)), (f"{word[0]}Thumb", sided("thumb", side))]
    return tree(rows, ends)


def lafan1():
    """Zero pose: all bones along x."""
    middle = pairs(("root", "spine1", "spine2", "spine3", "neck1", "head"), "Hips, Spine, Spine1, Spine2, Neck, Head")
    return along_x(
        person(middle, pairs(LEG, "{}UpLeg, {}Leg, {}Foot, {}Toe"), pairs(ARM, "{}Shoulder, {}Arm, {}ForeArm, {}Hand"),
               ("Left", "Right"))
    )  # fmt: skip


def rokoko():
    middle = pairs(("root", "spine1", "spine2", "spine3", "neck1", "head"), "Hips, Spine, Spine2, Spine3, Neck, Head")
    twist = [("{}ThighTwist", "{}Thigh", "mid_thigh"), ("{}Finger2Metacarpal", "{}Hand", "knuckle")]
    return person(middle, pairs(LEG, "{}Thigh, {}Shin, {}Foot, {}Toe"),
                  pairs(ARM, "{}Shoulder, {}Arm, {}ForeArm, {}Hand"), ("Left", "Right"), twist)  # fmt: skip


def xsens():
    marks = ("root", "spine1", "spine2", "spine2", "spine3", "neck1", "head")
    middle = pairs(marks, "Pelvis, L5, L3, T12, T8, Neck, Head")
    middle[3] = ("spine3", "T12")
    middle[4] = ("spine3", "T8")
    return person(middle, pairs(LEG, "{}UpperLeg, {}LowerLeg, {}Foot, {}Toe"),
                  pairs(ARM, "{}Shoulder, {}UpperArm, {}ForeArm, {}Hand"), ("Left", "Right"))  # fmt: skip


def biped():
    """Arms hang on the neck, as Character Studio has them."""
    rows = [("Bip01", None, PLACES["root"]), ("Bip01 Pelvis", "Bip01", PLACES["root"])]
    ends = []
    for side in ("left", "right"):
        s = side[0].upper()
        names = ["Bip01 Pelvis", *(f"Bip01 {s} {part}" for part in ("Thigh", "Calf", "Foot", "Toe0"))]
        rows += [(n, p, sided(m, side)) for n, p, m in zip(names[1:], names, LEG, strict=False)]
        ends.append((names[-1], sided("tip", side)))
    names = ["Bip01 Pelvis", "Bip01 Spine", "Bip01 Spine1", "Bip01 Neck", "Bip01 Head", "Bip01 HeadNub"]
    marks = ("spine1", "spine3", "neck1", "head", "vertex")
    rows += [(n, p, PLACES[m]) for n, p, m in zip(names[1:], names, marks, strict=False)]
    for side in ("left", "right"):
        s = side[0].upper()
        names = [
            "Bip01 Neck",
            *(f"Bip01 {s} {part}" for part in ("Clavicle", "UpperArm", "Forearm", "Hand", "Finger0")),
        ]
        marks = (*ARM, "thumb")
        rows += [(n, p, sided(m, side)) for n, p, m in zip(names[1:], names, marks, strict=False)]
        ends.append((names[-1], sided("fingertip", side)))
    return tree(rows, ends)


def amass():
    middle = pairs(MIDDLE[:5] + ("head",), "pelvis, spine1, spine2, spine3, neck, head")
    return person(middle, pairs(LEG, "{}_hip, {}_knee, {}_ankle, {}_foot"),
                  pairs(ARM, "{}_collar, {}_shoulder, {}_elbow, {}_wrist"), ("left", "right"))  # fmt: skip


def asf():
    middle = pairs(MIDDLE, "root, lowerback, upperback, thorax, lowerneck, upperneck, head")
    return person(middle, pairs(LEG, "{}femur, {}tibia, {}foot, {}toes"),
                  pairs((*ARM, "knuckle"), "{}clavicle, {}humerus, {}radius, {}wrist, {}hand"), ("l", "r"))  # fmt: skip


def unreal():
    middle = pairs(
        ("root", "spine1", "spine2", "spine3", "neck1", "head"), "pelvis, spine_01, spine_02, spine_03, neck_01, head"
    )
    twist = [("upperarm_twist_01_{}", "upperarm_{}", "mid_arm")]
    return person(middle, pairs(LEG, "thigh_{}, calf_{}, foot_{}, ball_{}"),
                  pairs(ARM, "clavicle_{}, upperarm_{}, lowerarm_{}, hand_{}"), ("l", "r"), twist)  # fmt: skip


def stranger():
    """Names that say nothing, no clavicles, one spine joint, the right side first."""
    rows = [("a", None, PLACES["root"])]
    ends = []
    for side, letters in (("right", "bcde"), ("left", "fghi")):
        names = ["a", *letters]
        rows += [(n, p, sided(m, side)) for n, p, m in zip(names[1:], names, LEG, strict=False)]
        ends.append((names[-1], sided("tip", side)))
    rows += [("j", "a", PLACES["spine2"]), ("k", "j", PLACES["neck1"])]
    ends.append(("k", PLACES["vertex"]))
    for side, letters in (("right", "lmn"), ("left", "opq")):
        names = ["j", *letters]
        rows += [(n, p, sided(m, side)) for n, p, m in zip(names[1:], names, ARM[1:], strict=False)]
        ends.append((names[-1], sided("fingertip", side)))
    return tree(rows, ends)


def stump():
    """No head, no hands, no toes: the least that counts as a person."""
    full = stranger()
    kept = [k for k, name in enumerate(full.names) if name not in "eiknq"]
    names = tuple(full.names[k] for k in kept)
    parents = tuple(names.index(full.names[full.parents[k]]) if full.parents[k] >= 0 else -1 for k in kept)
    ends = tuple(End(names.index(joint), full.offsets[full.index(tip)]) for joint, tip in ("mn", "pq", "de", "hi"))
    return Skeleton(names, parents, readonly(full.offsets[kept]), ends)


def dog():
    """Human names, four legs, a tail."""
    rows, ends = [("Hips", None, (-0.3, 0.0, 0.5))], []

    def chain(parent, parts, tip):
        for name, place in parts:
            rows.append((name, parent, place))
            parent = name
        ends.append((parent, tip))

    for word, y in (("Left", 0.08), ("Right", -0.08)):
        chain("Hips", [(f"{word}UpLeg", (-0.3, y, 0.45)), (f"{word}Leg", (-0.25, y, 0.28)),
                       (f"{word}Foot", (-0.35, y, 0.1))], (-0.3, y, 0.0))  # fmt: skip
    rows.append(("Spine", "Hips", (-0.1, 0.0, 0.52)))
    rows.append(("Spine1", "Spine", (0.15, 0.0, 0.53)))
    chain("Spine1", [("Neck", (0.3, 0.0, 0.6)), ("Head", (0.42, 0.0, 0.72))], (0.6, 0.0, 0.7))
    for word, y in (("Left", 0.08), ("Right", -0.08)):
        chain("Spine1", [(f"{word}Arm", (0.2, y, 0.42)), (f"{word}ForeArm", (0.15, y, 0.25)),
                         (f"{word}Hand", (0.2, y, 0.08))], (0.24, y, 0.0))  # fmt: skip
    chain("Hips", [("Tail", (-0.4, 0.0, 0.5)), ("Tail1", (-0.5, 0.0, 0.45))], (-0.6, 0.0, 0.4))
    return tree(rows, ends)


def lamp():
    return tree(
        [("base", None, (0.0, 0.0, 0.02)), ("lower", "base", (0.0, 0.0, 0.05)), ("upper", "lower", (-0.1, 0.0, 0.25)),
         ("shade", "upper", (0.1, 0.0, 0.45))],
        [("base", (0.1, 0.07, 0.0)), ("base", (0.1, -0.07, 0.0)), ("base", (-0.1, 0.07, 0.0)),
         ("base", (-0.1, -0.07, 0.0)), ("shade", (0.2, 0.0, 0.4))],
    )  # fmt: skip


def snake(joints=8):
    rows = [(f"s{k}", f"s{k - 1}" if k else None, (0.12 * k, 0.0, 0.0)) for k in range(joints)]
    return tree(rows, [(f"s{joints - 1}", (0.12 * joints, 0.0, 0.0))])


def along_x(skeleton):
    """The same figure with a zero pose in which all bones lie along x; its present zero pose becomes `upright`."""
    identity = np.tile([1.0, 0.0, 0.0, 0.0], (1, skeleton.count, 1))
    places = skeleton_kinematics(skeleton, np.zeros((1, 3)), identity).position[0]
    tips = {end.joint: places[end.joint] + end.offset for end in skeleton.ends}
    first = {joint: places[below[0]] if below else tips[joint] for joint, below in enumerate(skeleton.children)}
    world = np.array([quat_between([1.0, 0.0, 0.0], first[j] - places[j]) for j in range(skeleton.count)])
    parents = skeleton.parents
    offsets = [quat_rotate(quat_conjugate(world[p]), skeleton.offsets[j]) if p >= 0 else skeleton.offsets[j]
               for j, p in enumerate(parents)]  # fmt: skip
    local = [quat_multiply(quat_conjugate(world[p]), world[j]) if p >= 0 else world[j] for j, p in enumerate(parents)]
    ends = tuple(End(e.joint, readonly(quat_rotate(quat_conjugate(world[e.joint]), e.offset))) for e in skeleton.ends)
    return Skeleton(skeleton.names, parents, readonly(offsets), ends, skeleton.convention, readonly(local))


PEOPLE = {
    "cmu": cmu, "biped": biped, "mixamo": mixamo, "lafan1": lafan1, "rokoko": rokoko, "xsens": xsens,
    "amass": amass, "asf": asf, "unreal": unreal, "topology": stranger,
}  # fmt: skip
CREATURES = {"dog": dog, "lamp": lamp, "snake": snake}
