"""The unit of length of a file, and its axes that point up and forward."""

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.motion.clip import Clip
from poise.motion.repair.finding import AXES, UNITS, Finding, ImportSettings
from poise.motion.repair.upright import FigureStance, figure_stance, stance_of_skeleton_zero_pose
from poise.motion.roles import Roles

LEG, SMALLER, LARGER = 0.85, 0.35, 0.2  # m, hip to ankle of an adult; deviations of its logarithm, down and up
SIZE, ANY = 1.0, 1.0  # m, size of a figure that is not a person; standard deviation of its logarithm
METRIC = ("m", "cm", "mm")
ODD = 3.0  # penalty above which the figure has an unusual size in every unit
RARE = {"m": 0.0, "cm": 0.0, "cmu": 0.5, "mm": 0.5, "inch": 1.2, "foot": 1.5}  # prior penalties, logarithms of odds
NEAR = 0.7  # cosine: least value for a direction that counts as along an axis
USUAL = ("+y", "+z")  # usual up axes
UNUSUAL = 1.1  # penalty, as a fraction of the frames, of other axes unless the figure walks: else it likely lies
WANDERS = 0.3  # penalty, likewise, of an axis along which the lowest joint moves by a leg's length: no floor
OFTEN = 0.5  # of the frames: a figure that stands in more of them, and travels, walks
STEADY = 0.9  # least length of the mean up direction of a figure that walks
_BY_FORMAT = "the convention of its format"
USUAL_FACING = {"+y": "+z", "-y": "+z", "+z": "+x", "-z": "+x", "+x": "+z", "-x": "+z"}


@dataclass(frozen=True, eq=False)
class AxisClue:
    """A direction found in a file, and its source in words."""

    source: str
    direction: Array  # (3,)
    axis: str  # the axis nearest to the direction
    confidence: float


@dataclass(frozen=True, eq=False)
class FileStances:
    """The stances from which directions are read, in the file's axes."""

    zero: FigureStance  # of the zero pose
    tpose: FigureStance | None  # of a T-pose in the first frame
    motion: FigureStance  # of frames of the motion
    joints: Array  # (T, J, 3) positions in the frames of `motion`
    leg: float  # length of the leg


def likely_file_unit(length: float, person: bool) -> tuple[str, float]:
    """The most probable unit of `length` (of a person's leg, or the size of another figure), and its probability."""
    usual, smaller, larger = (LEG, SMALLER, LARGER) if person else (SIZE, ANY, ANY)
    names = list(UNITS if person else METRIC)
    off = np.log([length * UNITS[name] / usual for name in names])
    against = np.array([RARE[name] for name in names]) + (off / np.where(off < 0, smaller, larger)) ** 2 / 2
    best = int(np.argmin(against))
    among = float(1 / np.exp(against[best] - against).sum())
    odd = float(np.exp(-max(0.0, against[best] - ODD)))
    return names[best], among * odd


def find_file_unit(length: float, person: bool, declared: float | None, settings: ImportSettings) -> Finding:
    """The finding on the unit of a file in which a person's leg, or another figure, measures `length` units."""
    usual, what = (LEG, "the leg (hip to ankle)") if person else (SIZE, "the figure")
    if settings.metres is not None:
        found = f"{what} measures {length:.4g} units: {length * settings.metres:.2f} m"
        return _unit_finding(found, settings.metres, "as asked", None)
    if declared is not None:
        odd = ", which is unusual" if not 0.3 < length * declared / usual < 3 else ""
        found = f"the file states {_unit_text(declared)} ({what}: {length * declared:.2f} m{odd})"
        return _unit_finding(found, declared, "as stated", None)
    name, confidence = likely_file_unit(length, person) if length > 0 else ("cm", 0.0)
    found = f"{what} measures {length:.4g} units: {length * UNITS[name]:.2f} m in {name}"
    return _unit_finding(found, UNITS[name], "by size", confidence)


def _unit_finding(found: str, metres: float, why: str, confidence: float | None) -> Finding:
    return Finding("unit", found, f"1 unit = {_unit_text(metres)}, {why}", "unit=NAME or METRES", metres, confidence)


def _unit_text(metres: float) -> str:
    name = next((name for name, value in UNITS.items() if np.isclose(value, metres, rtol=1e-4)), None)
    return f"{metres:.6g} m" + (f" ({name})" if name else "")


def file_stances(clip: Clip, roles: Roles, leg: float, tpose: Clip | None) -> FileStances:
    """The stances of a clip in its file's axes; `leg` is the leg's length, `tpose` the T-pose, if any."""
    zero, joints = stance_of_skeleton_zero_pose(clip.skeleton, roles, leg), clip.places.position
    first = None if tpose is None else figure_stance(tpose.places.position[:1], roles)
    return FileStances(zero, first, figure_stance(joints, roles), joints, leg)


def poise_axes(up: str, facing: str) -> Array:
    """Matrix (3, 3) from the file's axes to Poise's: rows are forward, left and up."""
    top, front = axis_vector(up), axis_vector(facing)
    return np.stack([front, np.cross(top, front), top])


def axis_vector(axis: str) -> Array:
    """Unit vector (3,) of an axis such as "+y" or "-x"."""
    return np.asarray((1.0 if axis[0] == "+" else -1.0) * np.eye(3)["xyz".index(axis[1])])


def find_up_axis(seen: FileStances | None, declared: Array | None, settings: ImportSettings) -> Finding:
    """The finding on the file's axis that points up."""
    clue = _up_clue(seen) if declared is None else _nearest_axis_clue(_BY_FORMAT, declared[2])
    return _axis_finding("up", "points up", clue, settings.up)


def find_facing_axis(seen: FileStances | None, up: str, declared: Array | None, settings: ImportSettings) -> Finding:
    """The finding on the file's horizontal axis that the upright figure faces."""
    clue = _facing_clue(seen, up) if declared is None else _nearest_axis_clue(_BY_FORMAT, declared[0])
    return _axis_finding("facing", "is where the upright figure faces", clue, settings.facing)


def _up_clue(seen: FileStances | None) -> AxisClue:
    if seen is None:
        return AxisClue("the usual axes of files, as there is no evidence", axis_vector("+y"), "+y", 0.5)
    clues = [_nearest_axis_clue(name, view.up[0]) for name, view in _still_stances(seen).items() if view.stands[0]]
    moving = _motion_up_clue(seen)
    if not clues or (moving.axis != clues[-1].axis and _walks_upright(seen, moving)):
        return moving
    return clues[-1]


def _still_stances(seen: FileStances) -> dict[str, FigureStance]:
    """Stances of still poses by name, the most reliable last: a zero pose stands only in the skeleton's own frame."""
    zero = {"zero pose": seen.zero}
    return zero if seen.tpose is None else zero | {"artificial first pose": seen.tpose}


def _motion_up_clue(seen: FileStances) -> AxisClue:
    """The axis along which the figure most often stands on one level; if it never stands, along its trunk."""
    stands = seen.motion.stands
    ups = seen.motion.up[stands] if stands.any() else seen.motion.trunk
    share = {axis: float(np.sum(ups @ axis_vector(axis) > NEAR)) / len(stands) for axis in AXES}

    def up_merit(axis: str) -> float:
        low, high = np.percentile((seen.joints @ axis_vector(axis)).min(axis=1), [10, 90]) / seen.leg
        on_its_head = share[("-" if axis[0] == "+" else "+") + axis[1]]
        rare = axis not in USUAL and not _travels_across(seen, axis)
        return share[axis] - on_its_head - WANDERS * min(float(high - low), 1.0) - UNUSUAL * rare

    best = max(AXES, key=up_merit)
    if not share[best]:
        return AxisClue("the level on which the figure lies", axis_vector(best), best, 0.3)
    mean = ups[ups @ axis_vector(best) > NEAR].mean(axis=0)
    source = f"the motion, {'upright' if stands.any() else 'the trunk upright'} in {share[best]:.0%} of its frames"
    return AxisClue(source, mean, best, float(mean @ axis_vector(best)) * share[best] / sum(share.values()))


def _walks_upright(seen: FileStances, moving: AxisClue) -> bool:
    """Whether the figure stands and travels across its up direction; a figure that lies straight does not travel."""
    stands = seen.motion.stands & (seen.motion.up @ axis_vector(moving.axis) > NEAR)
    if np.mean(stands) < OFTEN or np.linalg.norm(moving.direction) < STEADY:
        return False
    return _travels_across(seen, moving.axis)


def _travels_across(seen: FileStances, up: str) -> bool:
    """Whether the figure travels far across the axis `up` and not along this axis."""
    extent = np.ptp(seen.joints.mean(axis=1), axis=0)
    along = "xyz".index(up[1])
    return bool(np.delete(extent, along).max() > max(seen.leg, 2 * extent[along]))


def _facing_clue(seen: FileStances | None, up: str) -> AxisClue:
    usual = USUAL_FACING[up]
    if seen is None:
        return AxisClue("the usual axes of files, as there is no evidence", axis_vector(usual), usual, 0.5)
    top = axis_vector(up)
    for name, view in _still_stances(seen).items():
        if view.stands[0] and view.up[0] @ top > NEAR:
            return _nearest_axis_clue(name, view.forward[0], up)
    stands = seen.motion.stands & (seen.motion.up @ top > NEAR)
    first = np.flatnonzero(stands if stands.any() else seen.motion.trunk @ top > NEAR)
    if not len(first):
        return AxisClue("the usual axes of files, as the figure is never upright", axis_vector(usual), usual, 0.3)
    return _nearest_axis_clue("the first upright frame", np.cross(seen.motion.left[first[0]], top), up)


def _nearest_axis_clue(source: str, direction: Array, beside: str = "") -> AxisClue:
    """The axis nearest to a direction, not parallel to `beside`; the confidence is the cosine between both."""
    cosines = {axis: float(axis_vector(axis) @ direction) for axis in AXES if axis[1] != beside[1:]}
    best = max(cosines, key=lambda axis: cosines[axis])
    return AxisClue(source, direction, best, max(0.0, cosines[best]))


def _axis_finding(name: str, what: str, clue: AxisClue, asked: str | None) -> Finding:
    """The finding on the axis `name` (up or facing): the axis that was asked for, else the clue's axis."""
    axis, found = asked or clue.axis, f"{clue.axis} of the file {what}, by {clue.source}"
    done = f"{axis} of the file becomes {'+z' if name == 'up' else '+x'}" + (", as asked" if asked else "")
    return Finding(name, found, done, f"{name}=AXIS", axis, None if asked else clue.confidence)
