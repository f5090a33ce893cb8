"""Settings of the controller, and the numbers of behaviour files: targets, weights and gains of each kind of behaviour.

Unless a comment says otherwise, weights `*_linear` are in 1/N^2, `*_angular` in 1/(N m)^2, `*_support` in 1/(m/s^2)^2,
`*_trunk` in 1/(rad/s^2)^2, and `*_stiffness` in 1/s^2. Heights and positions are those of the centre of mass.
"""

from dataclasses import asdict, dataclass, fields
from math import inf
from typing import Self

from poise.errors import PoiseError, unknown_name
from poise.library.behaviours.behaviour import Behaviour


@dataclass(frozen=True)
class RotationSettings:
    """Switches for the parts of the method: 1 is on, 0 is off."""

    momentum: int = 1
    """Objectives of linear and angular momentum, [Zordan2014] section V-A."""
    blend: int = 1
    """Blend tracking between two poses, [Zordan2014] Eq. (7); if off, the pose midway between them is tracked."""
    inclusion: int = 1
    """Inclusion test: a second pass with only the contacts that the first pass uses, [Zordan2014] section VI."""
    planning: int = 1
    """Flight plans, [Zordan2014] section VII; if off, take-off and landing follow poses in time."""
    placing: int = 1
    """Foot placement in flight, before a landing."""
    replanning: int = 1
    """A new landing plan at touch-down, from the simulated state."""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if value not in (0, 1):
                raise PoiseError(f"rotation: {name} {value} must be 0 or 1")


POSES = {
    "flip": ("stand", "crouch", "take-off", "tuck", "touch-down", "absorb", "stood"),
    "kip": ("lie", "shoulders", "crouch", "take-off", "tuck", "touch-down", "absorb", "stood"),
    "dive": ("stand", "lean", "crouch", "take-off", "reach"),
    "handspring": (
        *("stand", "lean", "crouch", "take-off", "reach", "over"),
        *("leave", "snap", "touch-down", "absorb", "stood"),
    ),
    "rise": (
        *("supine", "reach", "over", "belly", "flat", "prone"),
        *("push", "fours", "fold", "squat", "lean", "stood"),
    ),
}
"""Names of the poses of a behaviour file, in order, by kind; a roll may have any number of poses.

A kip-up crouches on its shoulders, and its tuck is an arch."""


@dataclass(frozen=True)
class RotationBehaviourNumbers:
    """Numbers in the files of one kind of behaviour."""

    @classmethod
    def from_behaviour(cls, behaviour: Behaviour) -> Self:
        """Read the numbers of a behaviour file; raise for an unknown number or a wrong count of poses."""
        known, file = [field.name for field in fields(cls)], behaviour.path.name
        for name in behaviour.control:
            if name not in known:
                raise unknown_name(f"number of a {behaviour.kind} in {file}", name, known)
        poses = POSES.get(behaviour.kind)
        if poses is not None and len(behaviour.at) != len(poses):
            raise PoiseError(f"{file}: a {behaviour.kind} has {len(poses)} poses: {', '.join(poses)}")
        return cls(**behaviour.control)


@dataclass(frozen=True)
class TakeOffNumbers:
    """Numbers of a take-off: squat and push."""

    flight: float = 0.58  # s: planned flight time
    turned: float = -351.0  # degrees: excursion at touch-down
    take_off_height: float = 1.0  # m
    touch_down_height: float = 0.8  # m
    travel: float = -0.1  # m forward, from the start of the push to touch-down
    squat_ahead: float = 0.04  # m in front of the ankles, in the squat
    squat_linear: float = 0.5
    squat_angular: float = 0.5
    squat_stiffness: float = 400.0
    push_strongest: float = 1600.0  # N: largest normal force at the heels, and at the toes
    push_last: float = 0.3  # share of `push_strongest` at take-off
    push_heels: float = inf  # share of the push after which only the toes bear
    push_linear: float = 5.0
    push_angular: float = 10.0
    push_stiffness: float = 400.0
    push_core: float = 1.0  # stiffness of trunk and head relative to the other joints
    push_support: float = 83.0
    squat_trunk: float = 5.0  # weight of the pelvis orientation in the squat
    push_trunk: float = 0.5  # weight of the pelvis orientation in the push
    push_tilt: float = 0.0  # degrees: extra forward pitch of the pelvis at the end of the push
    support: float = 28.0  # 1/(m/s^2)^2: weight of the supports' velocity in the squat
    gap: float = 0.03  # m: contacts with a smaller gap may bear
    trunk_spring: float = 60.0  # 1/s^2, of the pelvis orientation


@dataclass(frozen=True)
class FlightNumbers:
    """Numbers of a flight that ends on the feet."""

    flight: float = 0.58  # s: planned flight time
    opening: float = 0.2  # s from the tuck to the pose of touch-down
    touch_pitch: float = -320.0  # degrees: pitch of the pelvis at touch-down
    flight_stiffness: float = 1500.0
    about_feet: float | None = -20.0  # kg m^2/s: target angular momentum about the feet; None: no target


@dataclass(frozen=True)
class LandingNumbers:
    """Numbers of a landing and of standing up afterwards."""

    end_height: float = 0.69  # m at the end of the landing
    stand_ahead: float = 0.08  # m in front of the ankles, standing
    landing: float = 0.5  # s from touch-down to rest
    land_linear: float = 3.0
    land_angular: float = 2.5
    land_stiffness: float = 200.0
    land_spring: float = 28.0  # 1/s^2: K_s^L
    land_damping: float = 14.0  # 1/s: K_d^L
    land_spin_damping: float = 9.0  # 1/s, of angular momentum
    land_support: float = 47.0
    land_gap: float = 0.03  # m: contacts with a smaller gap may bear
    trunk: float = 4.0  # 1/(rad/s^2)^2: weight of the pelvis orientation
    trunk_spring: float = 60.0  # 1/s^2, of the pelvis orientation
    flat: float = 0.9  # 1/(rad/s^2)^2: weight of flat feet
    flat_spring: float = 400.0  # 1/s^2, of flat feet
    land_margin: float = 0.0  # m at each end of the soles that a plan does not use


@dataclass(frozen=True)
class HandsNumbers:
    """Numbers of the phase on the hands and of the flight from the hands onto the feet."""

    hands_pitch: float = -140.0  # degrees: pitch of the pelvis when the hands touch down
    hands_strongest: float = 900.0  # N: largest normal force at the heels of the hands, and at the fingers
    hands_last: float = 0.2  # share of `hands_strongest` when the hands leave the ground
    hands_linear: float = 5.0
    hands_angular: float = 8.0
    hands_spring: float = 80.0  # 1/s^2: K_s^L
    hands_damping: float = 32.0  # 1/s: K_d^L
    hands_spin_damping: float = 32.0  # 1/s, of angular momentum
    hands_stiffness: float = 600.0
    hands_core: float = 4.0  # stiffness of trunk and head relative to the other joints
    hands_support: float = 200.0
    hands_gap: float = 0.02  # m: contacts with a smaller gap may bear
    hands_again: float = 0.05  # s between plans
    leave_height: float = 0.8  # m when the hands leave the ground
    second_travel: float = -0.3  # m forward, from hands to feet
    second_flight: float = 0.15  # s from hands to feet
    opening: float = 0.1  # s from the snap to the pose of touch-down
    touch_pitch: float = -310.0  # degrees: pitch of the pelvis when the feet touch down
    second_height: float = 0.72  # m when the feet touch down
    touch_down_ahead: float = 0.3  # m in front of the ankles when the feet touch down
    flight_stiffness: float = 1500.0


@dataclass(frozen=True)
class FlipNumbers(TakeOffNumbers, FlightNumbers, LandingNumbers, RotationBehaviourNumbers):
    """Numbers of a flip or a kip-up."""

    touch_down_ahead: float = 0.15  # m in front of the ankles at touch-down


@dataclass(frozen=True)
class DiveNumbers(TakeOffNumbers, RotationBehaviourNumbers):
    """Numbers of a dive into a roll; where `roll_*` is 0, the number in the file of the roll is used."""

    flight_stiffness: float = 1500.0
    turns: float = 0.9  # turns of the roll before it stands up; 0 for never
    roll_spin: float = 0.0  # rad/s: target angular velocity of the roll
    roll_speed: float = 0.0  # m/s: target speed of the roll
    roll_pull: float = 0.0  # 1/s: K_d^L of the roll
    skip: float = 0.0  # turns added to the phase at which the roll is entered


@dataclass(frozen=True)
class HandspringNumbers(TakeOffNumbers, HandsNumbers, LandingNumbers, RotationBehaviourNumbers):
    """Numbers of one or several back handsprings."""

    springs: float = 1.0  # handsprings in a row
    between: float = 0.6  # s from touch-down to the start of the next handspring
    again: float = 0.2  # s from the start of the next handspring to its push


@dataclass(frozen=True)
class RollNumbers(RotationBehaviourNumbers):
    """Numbers of a roll on the ground."""

    spin: float = 4.9  # rad/s: target angular velocity about the axis of the roll
    speed: float = 1.16  # m/s: target speed along the ground
    linear: float = 0.67  # 1/N^2: weight of linear momentum
    angular: float = 0.47  # 1/(N m)^2: weight of angular momentum
    support: float = 5.3  # 1/(m/s^2)^2: weight of the supports' velocity over the step
    tangential: float = 0.8  # share of `support` along the ground
    stiffness: float = 900.0  # 1/s^2, of pose tracking
    core: float = 1.0  # stiffness of trunk and head relative to the other joints
    pull: float = 2.56  # 1/s: K_d^L
    lift: float = 0.59  # share of `pull` normal to the ground
    hold: float = 0.0  # 1/s^2: K_s^L, of the height
    height: float = 0.4  # m above the ground, mean over a turn
    heave: float = 0.1  # m: amplitude of the height over a turn
    peak: float = 0.0  # turns: phase of the greatest height
    drive: float = 15.0  # 1/s: K_d^H
    veer: float = 0.0  # 1/s at which the direction of the roll follows a body that has turned aside
    straighten: float = 20.0  # 1/s^2: K_s^H, against leaving the plane of the roll
    ahead: float = 0.015  # turns from the phase to the middle of the two blended poses
    window: float = 0.043  # turns from the middle of the two blended poses to each of them
    lead: float = 0.0  # turns: largest lead of the poses over a body that turns too slowly
    again: float = inf  # s without progress after which the poses swing back
    swing: float = 0.0  # turns by which the poses swing back
    tie: float = 0.3  # 1/s at which the phase is corrected to the accumulated rotation of the root
    settle: float = 0.0  # 1/s at which the phase is corrected to the orientation of the root
    gap: float = 0.008  # m: contacts with a smaller gap may bear
    strength: float = 1.0  # share of the torque limits
    turns: float = 0.0  # turns after which the body stands up; 0 for never
    waking: float = 0.0  # s at the start over which the target velocities grow from 0
    until: float = inf  # turns after which the body stops and lies still


@dataclass(frozen=True)
class RiseNumbers(RotationBehaviourNumbers):
    """Numbers of rising from the ground."""

    stiffness: float = 4.0  # 1/rad: stiffness of a joint, as a multiple of its torque limit
    damping: float = 0.1  # s: damping of a joint, as a multiple of its stiffness
