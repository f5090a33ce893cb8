"""A simulated creature for a skeleton that is not humanoid: capsules along its bones, with the density of water.

A bone is thicker the longer it is and the more it carries, like the branches of a tree. Joints are balls. Limbs whose
free ends are on the ground in the upright pose have feet. Left and right are exact mirror images.
"""

import re
from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array, Frozen, readonly
from poise.body.mjcf_import import guess_group
from poise.body.parts import Foot
from poise.body.plans import shapes
from poise.body.plans.anatomy import FREE
from poise.body.plans.anthropometry import point_inertia
from poise.body.plans.plan import BodyPlan, Colour, Geom, JointPlan, Segment
from poise.body.symmetry import mirrored_names, name_side
from poise.errors import PoiseError
from poise.motion.skeleton import Skeleton
from poise.rotations import matrix_to_quat, mirror_vector

DENSITY = 1000.0  # kg/m^3
THICKNESS = 0.12  # radius over the square root of (the bone's length times the total length that the bone carries)
STOUT = 0.4  # largest radius over the length of a bone
RANGE = 2.0  # rad, limit about each axis of a ball, either way
GRAVITY = 9.81  # m/s^2
FUR: Colour = (0.64, 0.56, 0.47, 1.0)
_SHORT = 0.05  # of the longest bone: a joint without a longer bone gets no link of its own
_NOTHING = 1e-3  # of the longest bone: shorter bones are ignored
_SIZES = (0.02, 1e3)  # m, valid range of the longest bone's length: outside, masses cannot be simulated
_ALIKE = 0.05  # of the size: largest difference of left and right that are averaged to mirror images
_ON_GROUND = 0.05  # of the height: free ends lower than this stand on the ground
_FLAT = 0.2  # height over length: a flatter creature lies, and has no feet


@dataclass(frozen=True, eq=False)
class LimbBones:
    """A moving joint and the bones that the joint carries, in the upright pose."""

    joint: int
    name: str  # of the link
    parent: int  # index of the parent in the list of limbs; -1 for the root
    place: Array  # (3,) m, position of the joint
    tips: Array  # (k, 3) m, free ends
    knots: Array  # (c, 3) m, the joints of the child limbs

    @property
    def bones(self) -> Array:
        """Vectors (k + c, 3) m from the joint to its k free ends, then to the c joints of the child limbs."""
        return np.concatenate([self.tips, self.knots]) - self.place


@dataclass(frozen=True, eq=False)
class _Solid:
    """Mass properties of a limb or of one bone."""

    mass: float  # kg
    com: Array  # (3,) m in the link frame
    inertia: Array  # (3, 3) kg m^2 about the centre of mass


def creature_plan(skeleton: Skeleton, mass: float | None, name: str) -> tuple[BodyPlan, dict[str, int]]:
    """The plan of a creature of `mass` kg (None: by density), and by link the skeleton joint that the link follows."""
    parts = creature_limbs(skeleton)
    radii = _bone_radii(parts)
    solids = [_limb_solid(part, r, 1.0) for part, r in zip(parts, radii, strict=True)]
    if mass is not None:
        ratio = mass / sum(solid.mass for solid in solids)
        solids = [_limb_solid(part, r, ratio) for part, r in zip(parts, radii, strict=True)]
    feet = _limb_soles(parts, radii)
    joints = _creature_joints(parts, solids)
    soles = [feet.get(part.name) for part in parts]
    segments = tuple(_limb_segment(parts, k, joints[k], solids[k], radii[k], sole) for k, sole in enumerate(soles))
    standing = tuple(_limb_foot(parts, part, feet[part.name]) for part in parts if part.name in feet)
    return BodyPlan(name, segments, "motor", {}, standing), {part.name: part.joint for part in parts}


def _bone_radii(parts: tuple[LimbBones, ...]) -> list[Array]:
    """For each limb, the radii (k + c,) m of its bones, in the order of `LimbBones.bones`."""
    lengths = [np.linalg.norm(part.bones, axis=1) for part in parts]
    carried = [float(np.sum(each)) for each in lengths]
    for k in range(len(parts) - 1, 0, -1):
        carried[parts[k].parent] += carried[k]
    return [np.minimum(THICKNESS * np.sqrt(each * carried[k]), STOUT * each) for k, each in enumerate(lengths)]


def _limb_solid(part: LimbBones, radii: Array, ratio: float) -> _Solid:
    """Mass properties of the capsules of a limb together, at `ratio` times the density."""
    pieces = [_capsule_solid(bone, radius, ratio) for bone, radius in zip(part.bones, radii, strict=True)]
    mass = sum(piece.mass for piece in pieces)
    com = np.sum([piece.mass * piece.com for piece in pieces], axis=0) / mass
    inertia = np.sum([piece.inertia + point_inertia(piece.mass, piece.com - com) for piece in pieces], axis=0)
    return _Solid(mass, com, inertia)


def _capsule_solid(bone: Array, radius: float, ratio: float) -> _Solid:
    length = float(np.linalg.norm(bone))
    rod, ball = (ratio * DENSITY * np.pi * radius**2 * size for size in (length, 4 / 3 * radius))
    along = rod * radius**2 / 2 + ball * 2 * radius**2 / 5
    caps = ball * (2 * radius**2 / 5 + length**2 / 4 + 3 * length * radius / 8)
    across, axis = rod * (length**2 / 12 + radius**2 / 4) + caps, bone / length
    return _Solid(rod + ball, bone / 2, across * np.eye(3) + (along - across) * np.outer(axis, axis))


def _creature_joints(parts: tuple[LimbBones, ...], solids: list[_Solid]) -> list[JointPlan]:
    """The free joint of the root, and ball joints for the other limbs.

    The torque limit is the sum of two moments: three times the moment of the weight that the joint carries in the
    upright pose, and the moment of half the body's weight at a distance equal to the limb's longest bone.
    """
    whole = sum(solid.mass for solid in solids)
    joints = [FREE]
    for k, part in enumerate(parts[1:], 1):
        below = [i for i in range(k, len(parts)) if k in _limb_ancestors(parts, i)]
        arms = np.array([parts[i].place + solids[i].com - part.place for i in below])
        masses = np.array([solids[i].mass for i in below])
        moment = float(np.linalg.norm(masses @ arms))
        longest = float(np.max(np.linalg.norm(part.bones, axis=1)))
        inertia = float(masses @ np.sum(arms**2, axis=1)) + float(np.trace(solids[k].inertia)) / 3
        torque = GRAVITY * (3 * moment + whole * longest / 2)
        joints.append(JointPlan(part.name, "ball", "xyz", (-RANGE,) * 3, (RANGE,) * 3, Frozen({"motor": torque}),
                                damping=2 * inertia, armature=0.02 * inertia))  # fmt: skip
    return joints


def _limb_ancestors(parts: tuple[LimbBones, ...], k: int) -> list[int]:
    path = [k]
    while parts[path[-1]].parent >= 0:
        path.append(parts[path[-1]].parent)
    return path


def _limb_segment(
    parts: tuple[LimbBones, ...], k: int, joint: JointPlan, solid: _Solid, radii: Array, foot: "_Sole | None"
) -> Segment:
    part = parts[k]
    above = parts[part.parent] if part.parent >= 0 else None
    moments, axes = np.linalg.eigh(solid.inertia)
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    w, x, y, z = matrix_to_quat(axes)
    looks = tuple(_bone_geom(part, n, bone, radius, foot)
                  for n, (bone, radius) in enumerate(zip(part.bones, radii, strict=True)))  # fmt: skip
    parent, offset = (None, part.place) if above is None else (above.name, part.place - above.place)
    geoms, group = looks if foot is None else (*looks, *foot.rails(part)), guess_group(part.name)
    frame = (float(w), float(x), float(y), float(z))
    return Segment(part.name, parent, joint, offset, solid.mass, solid.com, moments, geoms, group, frame=frame)


@dataclass(frozen=True)
class _Sole:
    """The rectangle on which a limb stands, in the upright pose in the world."""

    back: float  # m, like all other fields
    front: float
    right: float
    left: float
    ground: float
    radius: float  # of the rails

    def rails(self, part: LimbBones) -> tuple[Geom, Geom]:
        """The two capsules, along the left and the right edge, that touch the ground."""
        x, y, z = part.place
        height = self.ground + self.radius - z
        (a, b), colour = (self.back - x, self.front - x), _limb_colour(part.name)
        left, right = (
            shapes.capsule_geom(f"{part.name}_{edge}", (a, at - y, height), (b, at - y, height), self.radius, colour)
            for edge, at in (("left_edge", self.left), ("right_edge", self.right))
        )
        return left, right


def _limb_soles(parts: tuple[LimbBones, ...], radii: list[Array]) -> dict[str, _Sole]:
    """The soles, by link, of the limbs whose free ends are on the ground."""
    points = np.concatenate([np.concatenate([part.place[None], part.tips]) for part in parts])
    ground, height = float(np.min(points[:, 2])), float(np.ptp(points[:, 2]))
    if height < _FLAT * float(np.max(np.ptp(points[:, :2], axis=0))):
        return {}
    feet = {}
    for part, thick in zip(parts, radii, strict=True):
        low = part.tips[:, 2] < ground + _ON_GROUND * height
        if np.any(low):
            tips, half = part.tips[low], 0.7 * float(np.max(thick[: len(low)][low]))
            middle = (np.min(tips, axis=0) + np.max(tips, axis=0)) / 2
            spread = np.maximum(np.ptp(tips, axis=0) / 2, half)
            (back, right, _), (front, left, _) = (middle - spread).tolist(), (middle + spread).tolist()
            feet[part.name] = _Sole(back, front, right, left, ground, 0.3 * half)
    return feet


def _limb_foot(parts: tuple[LimbBones, ...], part: LimbBones, sole: _Sole) -> Foot:
    """The foot of a limb. The ankle is the limb's joint; the root has no joint, so its ankle is the first child's."""
    outer, inner = (sole.right, sole.left) if name_side(part.name) == "right" else (sole.left, sole.right)
    corners = np.array([(x, y, sole.ground) for x in (sole.back, sole.front) for y in (outer, inner)])
    return Foot(part.name, readonly(corners - part.place), part.name if part.parent >= 0 else parts[1].name)


def _bone_geom(part: LimbBones, n: int, bone: Array, radius: float, foot: _Sole | None) -> Geom:
    """The capsule of a limb's n-th bone. On a limb with a foot, it ends above the foot's rails or makes no contact."""
    end = np.array(bone)
    clear = -np.inf if foot is None else foot.ground + radius + foot.radius - float(part.place[2])
    if n < len(part.tips):
        end[2] = max(end[2], clear)
    colour = _limb_colour(part.name)
    shape = shapes.capsule_geom(f"{part.name}_bone{n}", (0.0, 0.0, 0.0), end, radius, colour)
    return shape if min(0.0, end[2]) >= clear else replace(shape, solid=False)


def _limb_colour(name: str) -> Colour:
    r, g, b, a = FUR
    return (0.86 * r, 0.86 * g, 0.86 * b, a) if name_side(name) == "right" else FUR


def creature_limbs(skeleton: Skeleton) -> tuple[LimbBones, ...]:
    """All limbs of a skeleton, the root first, parents before children."""
    position, ends = _symmetric_positions(skeleton)
    reach = _longest_bones(skeleton, position, ends)
    moving = _moving_joints(skeleton, reach)
    below = skeleton.below(moving[0])
    carrier = _carrying_joints(skeleton.parents, moving)
    names = link_names(skeleton.names)
    above = {j: carrier[skeleton.parents[j]] for j in moving[1:]}
    free = [(end.joint, tip) for end, tip in zip(skeleton.ends, ends, strict=True) if end.joint in below]
    free += [(j, position[j]) for j in below if not skeleton.children[j] and j not in moving]
    longest = float(np.max(reach[moving]))

    def limb_bones(j: int) -> LimbBones:
        tips = _distinct_points([tip for owner, tip in free if carrier[owner] == j], position[j], longest)
        knots = _distinct_points([position[k] for k in moving if above.get(k) == j], position[j], longest)
        if not len(tips) and not len(knots):  # a branching point needs a mass
            tips = position[j] + np.array([[0.0, 0.0, _SHORT * longest]])
        return LimbBones(j, names[j], moving.index(above[j]) if j in above else -1, position[j], tips, knots)

    return tuple(limb_bones(j) for j in moving)


def _distinct_points(places: list[Array], joint: Array, longest: float) -> Array:
    """The places (k, 3) m that do not coincide with the joint."""
    return np.reshape([p for p in places if np.linalg.norm(p - joint) > _NOTHING * longest], (-1, 3))


def _longest_bones(skeleton: Skeleton, position: Array, ends: Array) -> Array:
    """Length (J,) m of the longest bone of each joint."""
    reach = np.zeros(skeleton.count)
    for end, tip in zip(skeleton.ends, ends, strict=True):
        reach[end.joint] = max(reach[end.joint], np.linalg.norm(tip - position[end.joint]))
    for joint, parent in enumerate(skeleton.parents[1:], 1):
        reach[parent] = max(reach[parent], np.linalg.norm(position[joint] - position[parent]))
    return reach


def _moving_joints(skeleton: Skeleton, reach: Array) -> list[int]:
    """The joints that get links, below markers (whose only child has positions of its own); the first carries all."""
    top = 0
    while len(skeleton.children[top]) == 1 and skeleton.travels(skeleton.children[top][0]):  # a marker
        (top,) = skeleton.children[top]
    own = skeleton.below(top)
    reach = np.where(np.isin(np.arange(len(reach)), own), reach, 0.0)
    moving = [j for j, length in enumerate(reach) if length > _SHORT * np.max(reach)]
    if len(moving) < 2:
        raise PoiseError("the skeleton has fewer than two joints with bones: nothing in it can move")
    if not _SIZES[0] < np.max(reach) < _SIZES[1]:
        raise PoiseError(f"the skeleton's longest bone measures {np.max(reach):.3g} m: is its unit right?")
    top = moving[0]
    while not set(moving) <= set(skeleton.below(top)):
        top = skeleton.parents[top]
    return moving if top == moving[0] else [top, *moving]


def link_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """A unique link name of letters, digits and underscores for each joint name of a skeleton."""
    taken: dict[str, None] = {}
    for name in names:
        plain = "_".join(re.findall(r"\w+", name)) or "joint"
        while plain in taken:
            plain += "_"
        taken[plain] = None
    return tuple(taken)


def _carrying_joints(parents: tuple[int, ...], moving: list[int]) -> list[int]:
    """For each joint, the moving joint that carries it: itself, else the nearest moving ancestor, else `moving[0]`."""
    own = set(moving)
    carriers: list[int] = []
    for joint, parent in enumerate(parents):
        carriers.append(joint if joint in own else carriers[parent] if parent >= 0 else moving[0])
    return carriers


def _symmetric_positions(skeleton: Skeleton) -> tuple[Array, Array]:
    """Positions of joints (J, 3) and ends (E, 3) m, averaged with their mirror images if names and positions match."""
    position, ends = np.array(skeleton.standing.position[0]), np.array(skeleton.standing.ends[0])
    names = link_names(skeleton.names)
    pairs = mirrored_names(names)
    if not pairs:
        return position, ends
    partner = [names.index(pairs[name]) for name in names]
    tips = [_mirrored_end(skeleton, k, partner, ends) for k in range(len(ends))]
    images = mirror_vector(position[partner]), mirror_vector(ends[tips])
    size = float(np.linalg.norm(np.ptp(position, axis=0)))
    if any(np.max(np.abs(a - b), initial=0.0) > _ALIKE * size for a, b in zip((position, ends), images, strict=True)):
        return position, ends
    return (position + images[0]) / 2, (ends + images[1]) / 2


def _mirrored_end(skeleton: Skeleton, end: int, partner: list[int], places: Array) -> int:
    """Index of the counterpart joint's end nearest to the mirror image of `end`; `end` if that joint has no ends."""
    all_ends = skeleton.ends
    there = [k for k, other in enumerate(all_ends) if other.joint == partner[all_ends[end].joint]]
    image = mirror_vector(places[end])
    return min(there, key=lambda k: float(np.linalg.norm(places[k] - image)), default=end)
