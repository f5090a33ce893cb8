"""Visible and contact shapes that bodies share: limbs, trunk, feet, hands, heads, and their colours.

Shapes have no mass.
"""

from poise.arrays import readonly
from poise.body.parts import Foot
from poise.body.plans.anthropometry import Proportions
from poise.body.plans.plan import Colour, Geom, Vector

SKIN: Colour = (0.87, 0.72, 0.60, 1.0)
SHIRT: Colour = (0.35, 0.52, 0.62, 1.0)
SLEEVE: Colour = (0.42, 0.59, 0.69, 1.0)
TROUSERS: Colour = (0.36, 0.38, 0.45, 1.0)
SHOE: Colour = (0.82, 0.80, 0.76, 1.0)
DARK: Colour = (0.16, 0.15, 0.17, 1.0)

SOLE = 0.01  # m, radius of the two rails on which a foot stands


def capsule_geom(name: str, start: Vector, end: Vector, radius: float, rgba: Colour, *, solid: bool = True) -> Geom:
    """A capsule whose rounded ends are centred on `start` and `end`."""
    return Geom(name, "capsule", (start, end), (radius,), rgba, solid)


def sphere_geom(name: str, centre: Vector, radius: float, rgba: Colour, *, solid: bool = True) -> Geom:
    """A sphere around `centre` (m in the link frame)."""
    return Geom(name, "sphere", (centre,), (radius,), rgba, solid)


def ellipsoid_geom(name: str, centre: Vector, half: Vector, rgba: Colour, *, solid: bool = False) -> Geom:
    """An ellipsoid with half-axes `half` (m) along the link's axes."""
    return Geom(name, "ellipsoid", (centre,), half, rgba, solid)


def hanging_capsule(name: str, length: float, radius: float, rgba: Colour) -> Geom:
    """A capsule from the link's joint straight down over `length` m to the next joint."""
    return capsule_geom(name, (0.0, 0.0, 0.0), (0.0, 0.0, -length), radius, rgba)


def lateral_capsule(
    name: str, height: float, half_width: float, radius: float, rgba: Colour, *, solid: bool = True
) -> Geom:
    """A capsule across the trunk at `height` (m); such capsules make the back round to roll on."""
    return capsule_geom(name, (0.0, -half_width, height), (0.0, half_width, height), radius, rgba, solid=solid)


def foot_geoms(heel: float, toe: float, half_width: float, height: float, sole: float = SOLE) -> tuple[Geom, ...]:
    """A left foot: two rails that touch a plane at four points, from `heel` to `toe` (m from the ankle), and a shoe."""
    z, middle, half = sole - height, (heel + toe) / 2, (toe - heel) / 2
    flat = (half + 1.02 * sole, half_width + 1.02 * sole, 1.1 * sole)
    upper = (half + 0.8 * sole, half_width + 0.8 * sole, 0.45 * height)
    top, front = (0.0, 0.0, -0.1 * height), (0.45 * toe, 0.0, -0.62 * height)
    return (
        capsule_geom("left_foot_outer", (heel, half_width, z), (toe, half_width, z), sole, SHOE),
        capsule_geom("left_foot_inner", (heel, -half_width, z), (toe, -half_width, z), sole, SHOE),
        Geom("left_foot_sole", "box", ((middle, 0.0, 1.15 * sole - height),), flat, SHOE, solid=False),
        ellipsoid_geom("left_foot_upper", (middle, 0.0, 2 * sole - height), upper, SHOE),
        capsule_geom("left_foot_instep", top, front, 0.8 * half_width, SHOE, solid=False),
    )


def left_foot(ankle: str, heel: float, toe: float, half_width: float, height: float) -> Foot:
    """The left foot with the four contact points of `foot_geoms`; `ankle` is the name of the joint."""
    points = [(x, y, -height) for x in (heel, toe) for y in (half_width, -half_width)]
    return Foot("left_foot", readonly(points), ankle)


def face_geoms(head: str, centre: Vector, half: Vector) -> tuple[Geom, ...]:
    """A solid skull with hair, nose and eyes, which show the facing direction; `half` (m) are its half-sizes."""
    x, y, z = centre
    a, b, c = half
    eye = 0.12 * b
    return (
        capsule_geom(f"{head}_skull", (x - 0.1 * a, y, z + c - b), (x - 0.1 * a, y, z - c + b), b, SKIN),
        ellipsoid_geom(f"{head}_hair", (x - 0.12 * a, y, z + 0.2 * c), (1.06 * a, 1.07 * b, 0.86 * c), DARK),
        ellipsoid_geom(f"{head}_face", (x + 0.18 * a, y, z - 0.14 * c), (0.9 * a, 0.95 * b, 0.86 * c), SKIN),
        sphere_geom(f"{head}_nose", (x + 1.07 * a, y, z - 0.2 * c), 0.14 * b, SKIN, solid=False),
        sphere_geom(f"{head}_left_eye", (x + 0.97 * a, y + 0.36 * b, z + 0.02 * c), eye, DARK, solid=False),
        sphere_geom(f"{head}_right_eye", (x + 0.97 * a, y - 0.36 * b, z + 0.02 * c), eye, DARK, solid=False),
    )


def hand_geoms(length: float, thick: float) -> tuple[Geom, ...]:
    """The shapes of a left hand like a mitten: palm with fingers, and the thumb in front."""
    palm = capsule_geom("left_hand_palm", (0.0, 0.0, -0.25 * length), (0.0, 0.0, -0.78 * length), 0.62 * thick, SKIN)
    base, tip = (0.4 * thick, 0.0, -0.22 * length), (1.0 * thick, 0.0, -0.5 * length)
    return palm, capsule_geom("left_hand_thumb", base, tip, 0.26 * thick, SKIN, solid=False)


def fist_geoms(hand: str, geoms: tuple[Geom, ...]) -> tuple[Geom, ...]:
    """The shapes of a hand of `hand_geoms`, closed: knuckles across the middle of the palm, thumb in front."""
    palm = geoms[0]
    wide, along = palm.size[0], 0.4 * (palm.points[0][2] + palm.points[1][2])
    knuckles = capsule_geom(palm.name, (-wide, 0.0, along), (wide, 0.0, along), 1.7 * wide, SKIN)
    inward = -wide if hand.startswith("left") else wide
    thumb = (2.0 * wide, 0.3 * inward, 0.5 * along), (1.8 * wide, 1.5 * inward, along)
    return knuckles, capsule_geom(geoms[1].name, *thumb, geoms[1].size[0], SKIN, solid=False)


def abdomen_geoms(p: Proportions, link: str, base: float, length: float) -> tuple[Geom, ...]:
    """Shapes of the belly of trunk segment `link`, from height `base` (m) in the link frame up over `length` (m)."""
    wide, thick = p.metres(0.036) * p.girth, p.metres(0.052) * p.girth
    return (
        lateral_capsule(f"{link}_belt", base, wide, 0.99 * thick, SHIRT, solid=False),
        lateral_capsule(f"{link}_belly", base + 0.25 * length, wide, thick, SHIRT),
        lateral_capsule(f"{link}_side", base + 0.5 * length, 1.05 * wide, 1.02 * thick, SHIRT, solid=False),
        lateral_capsule(f"{link}_waist", base + 0.75 * length, 1.1 * wide, 1.05 * thick, SHIRT),
    )


def thorax_geoms(p: Proportions, link: str, base: float, length: float) -> tuple[Geom, ...]:
    """Shapes of ribs and chest of trunk segment `link`, from height `base` (m) in the link frame over `length` (m)."""
    wide, thick = p.metres(0.042) * p.girth, p.metres(0.056) * p.girth
    return (
        lateral_capsule(f"{link}_flank", base, 0.97 * wide, 0.98 * thick, SHIRT, solid=False),
        lateral_capsule(f"{link}_ribs", base + 0.22 * length, wide, thick, SHIRT),
        lateral_capsule(f"{link}_breast", base + 0.42 * length, 1.08 * wide, thick, SHIRT, solid=False),
        lateral_capsule(f"{link}_chest", base + 0.62 * length, 1.15 * wide, 0.94 * thick, SHIRT),
        lateral_capsule(f"{link}_collar", base + 0.78 * length, 1.2 * wide, 0.7 * thick, SHIRT, solid=False),
    )
