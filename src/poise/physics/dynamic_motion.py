"""Make a prepared motion obey physics, optionally varied; report on the result, and convert it to a recording."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from poise.arrays import Array, finite_or_null, readonly
from poise.errors import PoiseError, known_name
from poise.forms import VARIATION_FORMS
from poise.physics.certificate import Certificate, Deviation, certify, deviation_from
from poise.physics.interior import OptimiserProgress, ignore_progress
from poise.physics.optimise import DynamicSettings, OptimisedMotion, optimise
from poise.physics.task import ARMS_APART
from poise.reference.body_clip import BodyClip
from poise.reference.dynamic import Dynamic
from poise.reference.supports import Sketch, sketch_of_clip
from poise.rotations import quat_exp, quat_multiply
from poise.world.props import Bar
from poise.world.recording import Recording
from poise.world.scene import Scene

_BY_RHYTHM = 0.55  # exponent of the speed factor that changes the rhythm; longer strides make up the rest
_LEAST = 0.05  # m: motions that travel less have no path to stretch or bend


@dataclass(frozen=True, eq=False)
class Physics:
    """A motion that obeys physics, with its certificate and its deviation from the desired motion."""

    dynamic: Dynamic
    certificate: Certificate
    deviation: Deviation
    iterations: int
    solve_s: float

    @classmethod
    def timed(cls, search: Callable[[], OptimisedMotion]) -> "Physics":
        """Run `search`, measure the time that it takes, and certify the motion that it finds."""
        began = time.perf_counter()
        found = search()
        spent = time.perf_counter() - began
        like = deviation_from(found.dynamic, found.desired)
        return cls(found.dynamic, certify(found.dynamic), like, found.iterations, spent)

    def brief(self) -> str:
        """A summary in one line of text."""
        cert, like = self.certificate, self.deviation
        return (
            f"{self.solve_s:.1f} s, equations {cert.equations:.0e} body weights, slip {cert.slip_mm:.1g} mm, "
            f"root {100 * like.root_rms_m:.1f} cm and joints {like.joint_rms_deg:.1f} degrees from the source"
        )

    def as_dict(self) -> dict[str, Any]:
        """Certificate, deviations, iterations and time as JSON values."""
        found = {"iterations": self.iterations, "solve_s": self.solve_s}
        return {**found, **self.certificate.as_dict(), **asdict(self.deviation)}

    def lines(self) -> list[str]:
        """A summary in three lines of text."""
        cert, like = self.certificate, self.deviation
        return [
            f"physics: {self.iterations} iterations in {self.solve_s:.1f} s; equations of motion within "
            f"{cert.equations:.1e} body weights, contacts slip {cert.slip_mm:.4f} mm and sink "
            f"{cert.penetration_mm:.4f} mm",
            f"forces outside friction cones {cert.cone:.2g} N, torques beyond limits {cert.torque_excess:.2g} N m, "
            f"joints beyond limits {cert.joint_excess_deg:.2g} degrees",
            f"likeness: root {100 * like.root_rms_m:.1f} cm, joints {like.joint_rms_deg:.1f} degrees off, "
            f"{like.worst_joint.replace('_', ' ')} most with {like.worst_joint_rms_deg:.1f}; peak force "
            f"{cert.peak_force:.1f} body weights, peak torque {100 * cert.peak_torque_ratio:.0f} % of its limit",
        ]


def with_physics(
    clip: BodyClip,
    variation: "Variation | None" = None,
    watch: Callable[[OptimiserProgress], None] = ignore_progress,
    settings: DynamicSettings | None = None,
) -> Physics:
    """Make a clip, optionally varied, obey physics by trajectory optimisation. `watch` is told the progress."""
    chosen, change = settings or DynamicSettings(arms_apart=ARMS_APART), variation or Variation()
    if change.lift is not None:
        chosen = replace(chosen, lift=change.lift)
    sketch = varied_sketch(sketch_of_clip(clip), change)
    return Physics.timed(lambda: optimise(sketch, chosen, watch=watch))


@dataclass(frozen=True)
class Variation:
    """Changes of path, rhythm and foot height; the optimiser finds the rest, as in [Muico2009] section 3.2."""

    speed: float = 1.0  # factor of the speed, by quicker and longer strides
    stride: float = 1.0  # factor of the stride length at the same rhythm
    turn: float = 0.0  # rad to the left over the motion, or over each cycle
    lift: float | None = None  # m: height of swing feet at mid-swing

    @property
    def nothing(self) -> bool:
        """Whether the variation changes nothing."""
        return self == Variation()


def parse_physics_variation(texts: tuple[str, ...]) -> Variation:
    """Parse the texts of a variation, such as speed:1.2 or turn:30 (degrees)."""
    chosen: dict[str, float] = {}
    for text in texts:
        name, _, number = text.partition(":")
        known_name("variation", name, VARIATION_FORMS)
        try:
            value = float(number)
        except ValueError:
            value = np.nan
        if not np.isfinite(value) or (name != "turn" and value <= 0):
            raise PoiseError(f"variation '{text}' is not of the form {VARIATION_FORMS[name]}")
        chosen[name] = np.radians(value) if name == "turn" else value
    return Variation(**chosen)


def varied_sketch(sketch: Sketch, variation: Variation) -> Sketch:
    """The sketch with the path and rhythm that the variation asks for."""
    clip = sketch.clip
    if variation.nothing:
        return sketch
    if any(support.place is not None for support in sketch.supports):
        raise PoiseError(f"motion '{clip.name}' holds on to something, so it cannot be varied")
    way = clip.qpos[-1, :2] - clip.qpos[0, :2]
    if np.linalg.norm(way) < _LEAST:
        raise PoiseError(f"motion '{clip.name}' goes nowhere, so its speed, stride or turn cannot be varied")
    rhythm = variation.speed**_BY_RHYTHM
    longer = variation.stride * variation.speed / rhythm
    qpos = np.array(clip.qpos)
    done = (qpos[:, :2] - qpos[0, :2]) @ way / (way @ way)  # (T,) fraction of the path
    qpos[:, :2] += (longer - 1.0) * done[:, None] * way
    qpos = _bent_path(qpos, variation.turn * done)
    return replace(sketch, clip=replace(clip, qpos=readonly(qpos), rate=clip.rate * rhythm))


def _bent_path(qpos: Array, turn: Array) -> Array:
    """Poses (T, nq) on a path bent by `turn` (T,) rad. Each segment is rotated by the mean angle of its two ends."""
    out = np.array(qpos)
    middle = 0.5 * (turn[1:] + turn[:-1])
    piece = np.diff(qpos[:, 0] + 1j * qpos[:, 1]) * np.exp(1j * middle)
    path = np.concatenate([[0.0], np.cumsum(piece)])
    out[1:, 0], out[1:, 1] = qpos[0, 0] + path[1:].real, qpos[0, 1] + path[1:].imag
    zero = np.zeros_like(turn)
    out[:, 3:7] = quat_multiply(quat_exp(np.stack([zero, zero, turn], axis=1)), qpos[:, 3:7])
    return out


def recording_of_motion(motion: Dynamic, terrain: str = "flat") -> Recording:
    """A recording of a motion on its terrain; as in the world, forces act midway between contact point and ground."""
    clip, contacts = motion.clip, motion.contacts
    body = clip.body
    scene = scene_of_dynamic(motion, terrain)
    points = motion.points()[:-1]
    points[..., 2] = np.where(contacts.held, points[..., 2], 0.5 * (points[..., 2] + contacts.ground[:-1]))
    step, which = np.nonzero(contacts.force.any(axis=2))
    held_to = scene.link_id("bar") if scene.props else 0
    links = np.array([scene.link_id(link) for link in contacts.links], np.int64)
    held = contacts.held[which]
    force = contacts.force[step, which]
    normal = np.tile([0.0, 0.0, 1.0], (len(step), 1))
    normal[held] = force[held] / np.linalg.norm(force[held], axis=1, keepdims=True)
    pairs = [[scene.model.body(link).name, scene.model.body(held_to).name] for link in sorted(set(links[which[held]]))]
    return Recording(
        model_xml=scene.xml,
        time=np.asarray(np.arange(clip.frames) * motion.step, float),
        qpos=np.array(clip.qpos),
        qvel=np.array(motion.qvel),
        torque=np.array(motion.torque),
        external=np.zeros_like(motion.torque),
        contact_step=step.astype(np.int64),
        contact_body=links[which],
        contact_other=np.where(held, held_to, 0).astype(np.int64),
        contact_point=points[step, which],
        contact_normal=normal,
        contact_force=force,
        contact_friction=np.where(held, 0.0, scene.friction),
        contact_kind=held.astype(np.int64),
        limit_impulse=np.zeros_like(motion.torque),
        reference_qpos=None,
        meta={
            "body": body.name,
            "motion": clip.name,
            "controller": "none: a reference",
            "step": motion.step,
            "root": body.links[0],
            "dof_names": list(body.dof_names),
            "torque_limits": finite_or_null(body.torque_limit),
            "joint_lower": finite_or_null(body.lower),
            "joint_upper": finite_or_null(body.upper),
            "stabiliser": None,
            "events": [{"kind": "grips", "time": 0.0, "pairs": pairs}] if pairs else [],
        },
    )


def scene_of_dynamic(motion: Dynamic, terrain: str = "flat") -> Scene:
    """The motion's body on the terrain, with a bar at the mean place of the gripping hands if the motion has grips."""
    gripping = motion.contacts.down & motion.contacts.held
    if not gripping.any():
        return Scene.of(motion.clip.body, terrain)
    x, _, z = motion.points()[gripping].mean(axis=0)
    return Scene.of(motion.clip.body, terrain, props=(Bar(height=float(z), x=float(x), length=1.4),))
