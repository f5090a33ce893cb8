"""Linear and nonlinear damping of a single joint by our controller: [Fattal2006] Fig. 1.

The paper gives gains without units, read here in frames of 1/30 s and kg m^2. Inertia and angle are chosen so that the
peak velocity of (c) is three times the peak of (b), (c) overshoots a little, and (d) does not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import radians

import numpy as np
from scipy.integrate import solve_ivp

from poise.arrays import Array
from poise.body.body import Body
from poise.control.poses.poses import Poses, PosesSettings
from poise.control.poses.rig import PoseControlRig
from poise.reference.key_poses import KeyPoseReference, PoseKeys
from poise.study.experiment.plots import curves, drawn_of, picture, point_rows
from poise.study.experiment.study import Row, Scope, Study
from poise.study.experiment.table import column_values, rows_where
from poise.world.scene import Scene
from poise.world.settings import WorldSettings
from poise.world.world import World

FRAME = 1.0 / 30.0  # The paper's unit of time as we read it, s
INERTIA = 1.5  # Inertia of the joint's link, kg m^2
STIFFNESS = 0.15  # The paper's stiffness, kg m^2 per square frame
SHOWN = 20.0  # Angle (degrees) by which the joint of the figure turns
DEGREES = (10.0, SHOWN, 45.0, 90.0)  # Angles (degrees) in the whole scope
PANELS = {"a": (0.25, True), "b": (1.5, True), "c": (1.5, False), "d": (3.0, False)}
"""For each panel of the figure: damping (kg m^2 per frame), and whether the damping is linear."""
HEAVY = 1e6  # Mass (kg) and inertia (kg m^2) of the joint's mount, which is practically fixed
ALL_ROUND = 180.0  # Reach (degrees) of full damping that covers all angles, so that damping is linear


@dataclass(frozen=True)
class JointSwingTrial:
    """A joint at rest whose target changes in one jump [Fattal2006] Eq. (1)-(3)."""

    inertia: float  # kg m^2
    stiffness: float  # N m/rad
    damping: float  # N m s/rad
    linear: bool
    degrees: float  # from the start to the target
    seconds: float
    rate: float = 120.0  # Hz
    panel: str = ""  # of the figure

    @property
    def reach(self) -> float:
        """Distance (rad) from the target within which the damping acts in full."""
        return radians(ALL_ROUND if self.linear else PosesSettings().reach)


@dataclass(frozen=True, eq=False)
class SwingCourse:
    """The course of a swing."""

    time: Array  # (T,) s
    angle: Array  # (T,) rad
    velocity: Array  # (T,) rad/s


def simulate_joint_swing_trial(swing: JointSwingTrial) -> SwingCourse:
    """The course of a swing by our controller in our simulation."""
    body = _hinged_rod_of_trial(swing.inertia)
    world = World(Scene((body,), gravity=0.0), WorldSettings(step=1.0 / swing.rate))
    gains = np.zeros((2, body.nv))
    gains[:, 6] = swing.stiffness, swing.damping
    settings = PosesSettings(reach=np.degrees(swing.reach), stabilise=0.0)
    controller = Poses(settings, rig=PoseControlRig(*gains))
    target = PoseKeys(np.zeros(1), np.array([6]), np.array([radians(swing.degrees)]))
    reference = KeyPoseReference(body, "swing", target, np.zeros(body.nv), np.zeros(body.nv), swing.seconds)
    world.reset(np.array(body.standing), np.zeros(body.nv))
    controller.reset(world, reference)
    steps = round(swing.seconds * swing.rate)
    angle, velocity = np.zeros(steps + 1), np.zeros(steps + 1)
    for step in range(steps):
        world.step(controller.act(world.state))
        angle[step + 1], velocity[step + 1] = world.qpos[7], world.qvel[6]
    return SwingCourse(np.arange(steps + 1) / swing.rate, angle, velocity)


def exact_joint_swing_trial(swing: JointSwingTrial) -> SwingCourse:
    """The course of a swing by its differential equation, at the times of the simulation."""
    goal, reach = radians(swing.degrees), swing.reach

    def swing_derivative(_: float, state: Array) -> list[float]:
        error = goal - state[0]
        kept = min(1.0, reach / max(abs(error), 1e-12))
        torque = swing.stiffness * error - swing.damping * kept * state[1]
        return [float(state[1]), float(torque / swing.inertia)]

    time = np.arange(round(swing.seconds * swing.rate) + 1) / swing.rate
    found = solve_ivp(
        swing_derivative, (0.0, time[-1]), [0.0, 0.0], "LSODA", time, rtol=1e-9, atol=1e-10, max_step=1e-3
    )
    return SwingCourse(time, *found.y)


@lru_cache(maxsize=4)
def _hinged_rod_of_trial(inertia: float) -> Body:
    """A rod of an inertia (kg m^2) on a hinge, high above the ground, on a very heavy mount."""
    root = f"{_inertial_element_of_trial(HEAVY, HEAVY)}<freejoint/>"
    rod = f'{_inertial_element_of_trial(1.0, inertia)}<joint name="hinge" axis="0 1 0"/>'
    shape = '<geom type="sphere" size="0.01"/>'
    bodies = f'<body name="mount" pos="0 0 10">{root}{shape}<body name="rod">{rod}{shape}</body></body>'
    return Body.from_mjcf(f'<mujoco model="joint"><worldbody>{bodies}</worldbody></mujoco>')


def _inertial_element_of_trial(mass: float, inertia: float) -> str:
    return f'<inertial pos="0 0 0" mass="{mass}" diaginertia="{inertia} {inertia} {inertia}"/>'


def _swing_of_panel(panel: str, degrees: float, rate: float, seconds: float) -> JointSwingTrial:
    """The swing of a panel in SI units, by an angle and at a rate (Hz)."""
    damping, linear = PANELS[panel]
    return JointSwingTrial(INERTIA, STIFFNESS / FRAME**2, damping / FRAME, linear, degrees, seconds, rate, panel)


def damping_cases(scope: Scope) -> list[JointSwingTrial]:
    """A case for each panel; in the whole scope also with other angles and another rate."""
    kinds = [(SHOWN, 120.0)] if scope.coarse else [*((degrees, 120.0) for degrees in DEGREES), (SHOWN, 60.0)]
    return [_swing_of_panel(panel, degrees, rate, scope.seconds) for degrees, rate in kinds for panel in PANELS]


def run_damping_case(case: JointSwingTrial) -> Row:
    """Row of a case: peak velocity and overshoot, ours and of the exact solution."""
    ours, true = simulate_joint_swing_trial(case), exact_joint_swing_trial(case)
    both = (("", ours), ("exact_", true))
    damping, linear = PANELS[case.panel]
    return {
        "panel": case.panel,
        "degrees": case.degrees,
        "rate": case.rate,
        "seconds": case.seconds,
        "damping": damping,
        "linear": linear,
        **{f"{prefix}peak_deg_s": float(np.degrees(by.velocity.max())) for prefix, by in both},
        **{f"{prefix}overshoot_deg": max(float(np.degrees(by.angle.max())) - case.degrees, 0.0) for prefix, by in both},
        "off_deg": float(np.degrees(np.sqrt(np.mean((ours.angle - true.angle) ** 2)))),
    }


def damping_summary(rows: Sequence[Row]) -> list[Row]:
    """All rows, each with the ratio of its peak velocity to the peak of panel (b), high linear damping."""
    return [{**row, **_peak_ratios(row, rows)} for row in rows]


def _peak_ratios(row: Row, rows: Sequence[Row]) -> Row:
    alike = rows_where(rows, panel="b", degrees=row["degrees"], rate=row["rate"])
    return {
        name: column_values([row], peak)[0] / column_values(alike, peak)[0] if alike else None
        for name, peak in (("peak_ratio", "peak_deg_s"), ("exact_peak_ratio", "exact_peak_deg_s"))
    }


def swing_points(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield angle and velocity at each time in each panel of the figure, of the exact course and of ours."""
    for row in rows_where(rows, degrees=SHOWN, rate=120.0):
        case = _swing_of_panel(str(row["panel"]), SHOWN, 120.0, column_values([row], "seconds")[0])
        title = f"({case.panel}) {'linear' if case.linear else 'nonlinear'}, $k_d$ = {row['damping']:g}"
        for of, by in (("exact", exact_joint_swing_trial(case)), ("Poise", simulate_joint_swing_trial(case))):
            angles = {"degrees": np.degrees(by.angle), "degrees/s": np.degrees(by.velocity)}
            yield from point_rows({"panel": title, "of": of}, s=by.time, **angles)


STUDY: Study[JointSwingTrial] = Study(
    name="poses-pd",
    title="linear and nonlinear damping of a joint",
    reproduces="Fattal & Lischinski 2006, Fig. 1",
    whole=Scope(seeds=1, seconds=2.0),
    quick=Scope(seeds=1, seconds=2.0, coarse=True),
    cases=damping_cases,
    run_case=run_damping_case,
    summary=damping_summary,
    plot=picture(drawn_of(swing_points, curves("s", ("degrees", "degrees/s"), ("of",), ("panel",), "-"))),
)
