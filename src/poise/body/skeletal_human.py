"""A simulated person for a humanoid skeleton: the parts of the bundled figures at the skeleton's own measures."""

from __future__ import annotations

from dataclasses import replace
from math import asin, radians

from poise.body import anthropometry as tables
from poise.body import human, shapes, skeletal_trunk
from poise.body.anatomy import WELD, joint
from poise.body.plan import FootPlan, JointPlan, Plan, Segment, Vector, minus
from poise.body.scale import strengthened
from poise.body.skeletal_figure import ADULT, Figure
from poise.motion.roles import SIDES

MOST_LEAN = 0.2  # sine of the slant of the legs
SHANK_TURN = radians(35)  # foot and shank together, either way


def plan(figure: Figure, name: str) -> Plan:
    """The body of a figure: ball joints but for knees, elbows, toes and clavicles."""
    pelvis, *spine = skeletal_trunk.trunk(figure)
    leg, contact = _leg(figure)
    whole = human.assemble(
        name,
        core=(pelvis,),
        leg=leg,
        trunk=(*spine, *skeletal_trunk.head(figure)),
        arm=_arm(figure),
        foot=contact,
        hand=human.palm_point(figure.proportions),
    )
    heavier = figure.proportions.mass / ADULT.mass
    taller = figure.proportions.stature / ADULT.stature
    strong = (replace(s, joint=strengthened(s.joint, heavier, taller)) for s in whole.segments)
    lean = _lean(figure, whole.segments, contact)
    slant = {"hip": (0.0, lean, 0.0), "ankle": (0.0, -lean, 0.0)}
    balanced = {f"{side}_{name}": turn for side in SIDES for name, turn in slant.items()}
    return replace(whole, segments=tuple(strong), standing={**whole.standing, **balanced})


def _lean(figure: Figure, segments: tuple[Segment, ...], foot: FootPlan) -> float:
    """How far (rad) the legs must slant under the upright trunk for the body to be balanced.

    The centre of mass is then a quarter of the way from the ankles to the balls of the feet.
    """
    places: dict[str | None, float] = {None: 0.0}
    for segment in segments:
        places[segment.name] = places[segment.parent] + segment.offset[0]
    mass = sum(s.mass for s in segments)
    centre = sum(s.mass * (places[s.name] + s.com[0]) for s in segments) / mass
    legs = sum(s.mass for s in segments if s.group in ("left_leg", "right_leg"))
    moved = 1 - legs / (2 * mass)  # the legs go half as far as the hips, which carry all the rest
    forward = foot.points[2][0] / 4 - centre
    p = figure.proportions
    return asin(max(-MOST_LEAN, min(MOST_LEAN, forward / moved / p.metres(p.hip - p.ankle))))


def _leg(figure: Figure) -> tuple[tuple[Segment, ...], FootPlan]:
    p, sole = figure.proportions, figure.sole
    thigh, shank = human.thigh_and_shank(p)
    ankle = _ankle()
    if figure.has_toes:
        foot, toes, contact = human.jointed_foot(p, ankle, sole, figure.forward)
        return (thigh, _off_the_ground(shank, figure), foot, toes), contact
    heel, tip = sole - p.metres(p.heel), p.metres(p.foot - p.heel) - sole
    foot, contact = human.flat_foot(p, heel, tip, ankle)
    return (thigh, _off_the_ground(shank, figure), foot), contact


def _ankle() -> JointPlan:
    """Captured motion has the shank's turn about itself in the ankle, since its knees are hinges, too."""
    ankle = joint("left_ankle", "ankle")
    return replace(ankle, lower=(*ankle.lower[:2], -SHANK_TURN), upper=(*ankle.upper[:2], SHANK_TURN))


def _off_the_ground(shank: Segment, figure: Figure) -> Segment:
    """The shank with its rounded end above the soles, which are not far below a low ankle."""
    bone, *rest = shank.geoms
    top, (x, y, z) = bone.points
    lowest = 2 * figure.sole + bone.size[0] - figure.proportions.metres(figure.proportions.ankle)
    end = (x, y, z + max(0.0, lowest))
    return replace(shank, geoms=(replace(bone, points=(top, end)), *rest))


def _arm(figure: Figure) -> tuple[Segment, ...]:
    chest = figure.spine[-1]
    root = figure.clavicle or chest
    girdle = () if figure.clavicle is None else (_clavicle(figure),)
    parent = "chest" if figure.clavicle is None else "left_clavicle"
    upper_arm, forearm, hand = human.arm(figure.proportions, parent, minus(figure.shoulder, root))
    forearm = replace(forearm, joint=_twisting(forearm.joint))
    hand = replace(hand, joint=_twisting(hand.joint) if figure.has_hands else WELD)
    return (*girdle, upper_arm, forearm, hand)


def _twisting(bend: JointPlan) -> JointPlan:
    """The joint with the twist of the forearm inside, which some skeletons give to the elbow and some to the wrist."""
    twist = joint(bend.name, "forearm", "z")
    axes = bend.axes + twist.axes
    return replace(bend, kind="ball" if len(axes) == 3 else "hinge", axes=axes,
                   lower=bend.lower + twist.lower, upper=bend.upper + twist.upper)  # fmt: skip


def _clavicle(figure: Figure) -> Segment:
    """The left shoulder girdle, from its joint out to the shoulder."""
    assert figure.clavicle is not None
    p = figure.proportions
    mass, thick = human.CLAVICLE_MASS * p.mass, p.metres(0.032) * p.girth
    end = minus(figure.shoulder, figure.clavicle)
    half = max(0.6 * end[1], thick)
    inner = max(0.3, 1 - (figure.shoulder[1] - 0.03 * p.stature) / max(end[1], 1e-6))
    looks = (shapes.capsule("left_clavicle_shape", _times(inner, end), end, thick, shapes.SHIRT),)
    return Segment("left_clavicle", "chest", joint("left_clavicle", "clavicle", "zx"),
                   minus(figure.clavicle, figure.spine[-1]), mass, _times(0.6, end),
                   tables.ellipsoid_inertia(mass, (thick, half, thick)), looks, "left_arm")  # fmt: skip


def _times(factor: float, v: Vector) -> Vector:
    return (factor * v[0], factor * v[1], factor * v[2])
