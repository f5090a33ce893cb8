"""Forged recordings: each is refused, and for the right reason."""

import numpy as np
import pytest
from corruption import SLIGHTEST, corruptions
from forging import changed, edited_model, events, failed, honest, verdict, without_contacts

from poise import Body, PoiseError, Scene, World, audit, perform
from poise.dynamics.mechanism import DynamicsTerms
from poise.measure.joint_limits import JointLimits, named_body
from poise.measure.replay import Replay
from poise.measure.verdict import Word
from poise.performance.request import Request
from poise.world.props import Box
from poise.world.recording import Recording

FORGERIES = {}  # name: (recording, forge, the checks that must fail)


def forgery(base, *checks):
    """Register a function that forges a recording."""

    def register(forge):
        FORGERIES[forge.__name__.removeprefix("_")] = (base, forge, set(checks))
        return forge

    return register


def at(*place, add=0.0, times=1.0):
    """A function that changes one entry of an array."""

    def change(values):
        values[place] = times * values[place] + add
        return values

    return change


@pytest.mark.parametrize("name", ["walk", "pushed", "fall", "hang", "loaded"])
def test_the_recordings_that_are_forged_are_physical(name):
    assert verdict(honest(name)).word is Word.PHYSICAL


def test_a_stabilised_script_is_assisted_by_what_its_stabiliser_gave():
    found = audit(honest("held"))
    assert found.verdict.word is Word.ASSISTED
    assert found.passed
    assert not found.verdict.physical
    assert found.verdict.assistance.peak_nm > 1
    assert found.verdict.assistance.peak_n == 0
    assert 0 < found.verdict.assistance.share <= 1
    assert "N m" in found.verdict.reasons[0]


# -- forces from nowhere -------------------------------------------------------------------------------------------


@forgery("walk", "contact_kind")
def _a_walk_in_the_air_on_contacts_of_no_kind(r):
    up = np.array([0, 0, 5.0])
    return changed(r, qpos=lambda q: q + np.r_[up, np.zeros(r.model.nq - 3)], contact_point=r.contact_point + up,
                   contact_kind=np.full_like(r.contact_kind, 7))  # fmt: skip


@forgery("walk", "contact_distance")
def _a_walk_in_the_air(r):
    up = np.array([0, 0, 5.0])
    high = r.qpos + np.r_[up, np.zeros(r.model.nq - 3)]
    return changed(r, qpos=high, contact_point=r.contact_point + up)


@forgery("walk", "contact_kind", "grip_distance")
def _a_walk_in_the_air_on_hooks(r):
    up = np.array([0, 0, 5.0])
    high = r.qpos + np.r_[up, np.zeros(r.model.nq - 3)]
    return changed(r, qpos=high, contact_point=r.contact_point + up, contact_kind=np.ones_like(r.contact_kind))


def _contacts_as_external(r):
    return changed(without_contacts(r), external=r.external + Replay.of(r).contact_forces)


@forgery("walk", "undeclared_force")
def _contacts_moved_to_external(r):
    return _contacts_as_external(r)


@forgery("held", "undeclared_force")
def _contacts_moved_to_external_beside_a_stabiliser(r):
    return _contacts_as_external(r)


@forgery("walk", "undeclared_force")
def _contacts_moved_to_a_weight_that_hangs(r):
    moved = _contacts_as_external(r)
    weight = {"kind": "weight", "time": 0.0, "body": "pelvis", "mass": 50.0, "point": [0.0, 0.0, 0.0]}
    return changed(moved, {"events": [weight]})


@forgery("walk", "linear_momentum", "joint_equation")
def _no_contacts_at_all(r):
    return without_contacts(r)


@forgery("pushed", "undeclared_force")
def _a_push_without_its_event(r):
    return changed(r, {"events": []})


@forgery("pushed", "undeclared_force")
def _a_push_stronger_than_its_event(r):
    return changed(r, {"events": events(r, world_force=[1.0, 0.0, 0.0])})


@forgery("pushed", "undeclared_force")
def _a_push_later_than_its_event(r):
    return changed(r, {"events": events(r, time=0.05)})


@forgery("pushed", "undeclared_force")
def _a_push_on_another_link(r):
    return changed(r, {"events": events(r, body="head")})


@forgery("hang", "contact_kind")
def _grips_whose_event_is_nonsense(r):
    return changed(r, {"events": events(r, pairs=[3, "hand"])})


@forgery("pushed", "undeclared_force", "joint_equation")
def _a_hand_that_drives_a_knee(r):
    return changed(r, external=at(10, r.meta["dof_names"].index("left_knee_y"), add=2.0))


@forgery("walk", "undeclared_force")
def _torques_called_external(r):
    return changed(r, external=r.external + r.torque, torque=np.zeros_like(r.torque))


@forgery("walk", "undeclared_force")
def _a_weight_that_lifts(r):
    replay, link, mass = Replay.of(r), r.model.body("pelvis").id, -2.0
    gained = np.diff(replay.point_velocity(link, replay.xpos[:, link]), axis=0) / r.step
    force = mass * (np.array(r.model.opt.gravity) - gained)
    pull = replay.generalised_forces(np.arange(r.steps), np.full(r.steps, link), replay.xpos[:-1, link], force)
    weight = {"kind": "weight", "time": 0.0, "body": "pelvis", "mass": mass, "point": [0.0, 0.0, 0.0]}
    return changed(r, {"events": [weight]}, external=r.external + pull)


@forgery("loaded", "undeclared_force")
def _a_weight_without_its_event(r):
    return changed(r, {"events": []})


@forgery("loaded", "hung_weight")
def _a_weight_heavier_than_its_event(r):
    return changed(r, {"events": events(r, mass=1.0)})


@forgery("loaded", "hung_weight")
def _a_weight_that_also_pulls_sideways_in_every_third_step(r):
    replay, link = Replay.of(r), r.model.body("right_hand").id
    steps = np.arange(0, r.steps, 3)
    force = np.tile([30.0, 0.0, 0.0], (len(steps), 1))
    pull = replay.generalised_forces(steps, np.full(len(steps), link), replay.xpos[steps, link], force)
    return changed(r, external=r.external + pull)


@forgery("loaded", "hung_weight")
def _a_weight_that_floats(r):
    return changed(r, external=np.zeros_like(r.external))


@forgery("held", "undeclared_force")
def _a_stabiliser_that_is_not_declared(r):
    return changed(r, {"stabiliser": None})


@forgery("held", "undeclared_force")
def _a_stabiliser_that_lifts(r):
    return changed(r, external=at(slice(None), 2, add=5.0))


@forgery("walk", "limit_impulse")
def _torques_called_impulses_of_limits(r):
    return changed(r, torque=np.zeros_like(r.torque), limit_impulse=r.torque * r.step)


@forgery("walk", "limit_impulse")
def _a_limit_that_pushes_the_root(r):
    return changed(r, limit_impulse=at(5, 2, add=0.1))


# -- motion --------------------------------------------------------------------------------------------------------


@forgery("walk", "joint_equation")
def _torques_zeroed(r):
    return changed(r, torque=np.zeros_like(r.torque))


@forgery("walk", "joint_equation")
def _torques_random(r):
    noise = np.random.default_rng(0).normal(size=r.torque.shape) * (np.arange(r.model.nv) >= 6)
    return changed(r, torque=r.torque + 0.1 * noise)


@forgery("walk", "joint_equation")
def _torques_zeroed_in_an_old_file(r):
    return changed(r, torque=np.zeros_like(r.torque), limit_impulse=None)


@forgery("fall", "joint_equation")
def _torques_that_press_a_joint_off_its_limit_in_an_old_file(r):
    limits = JointLimits.of(r)
    near = np.maximum(limits.angles[:-1], limits.angles[1:]) - limits.lower < 0.02  # rad
    assert near[:, 6:].any()
    return changed(r, torque=lambda torque: torque + 5.0 * near, limit_impulse=None)


@forgery("walk", "joint_equation")
def _torques_of_left_and_right_exchanged(r):
    names = r.meta["dof_names"]
    sides = {"left": "right", "right": "left"}
    swap = [names.index("_".join(sides.get(part, part) for part in name.split("_"))) for name in names]
    return changed(r, torque=r.torque[:, swap])


@forgery("walk", "pose")
def _a_knee_that_its_velocity_does_not_bend(r):
    knee = r.model.joint("left_knee").qposadr[0]
    return changed(r, qpos=at(20, knee, add=0.01))


@forgery("walk", "pose")
def _poses_smoothed(r):
    def smooth(q):
        q[1:-1, 7:] = 0.25 * q[:-2, 7:] + 0.5 * q[1:-1, 7:] + 0.25 * q[2:, 7:]
        return q

    return changed(r, qpos=smooth)


@forgery("walk", "pose")
def _a_root_that_turns_by_itself(r):
    return changed(r, qpos=at(20, 5, add=1e-3))


@forgery("walk", "pose")
def _quaternions_of_another_length(r):
    return changed(r, qpos=at(slice(None), slice(3, 7), times=1.01))


@forgery("walk", "linear_momentum", "joint_equation")
def _a_clip_with_finite_differences(r):
    return changed(without_contacts(r), torque=np.zeros_like(r.torque))


@forgery("walk", "pose")
def _a_walk_backwards_in_time(r):
    back = {name: getattr(r, name)[::-1] for name in ("qpos", "torque")}
    return changed(r, **back, qvel=-r.qvel[::-1], contact_step=r.steps - 1 - r.contact_step)


@forgery("walk", "linear_momentum")
def _a_film_played_slowly(r):
    return changed(r, {"step": 2 * r.step}, time=2 * r.time, qvel=0.5 * r.qvel)


@forgery("fall", "linear_momentum")
def _half_the_gravity(r):
    return edited_model(r, r'gravity="[^"]*"', 'gravity="0 0 -4.9"')


@forgery("walk", "joint_equation")
def _stronger_damping(r):
    return edited_model(r, r'damping="[^"]*"', 'damping="9"')


@forgery("walk", "linear_momentum")
def _a_lighter_body(r):
    return edited_model(r, r'mass="[^"]*"', 'mass="0.5"')


@forgery("walk", "free_root")
def _a_body_on_a_gantry(r):
    rails = "".join(f'<joint type="slide" axis="{axis}"/>' for axis in ("1 0 0", "0 1 0", "0 0 1"))
    return edited_model(r, r"<freejoint[^>]*/>|<joint[^>]*type=\"free\"[^>]*/>", f'{rails}<joint type="ball"/>')


# -- joints --------------------------------------------------------------------------------------------------------


def _strained(r, meta):
    knee = r.meta["dof_names"].index("left_knee_y")
    return changed(r, meta, torque=at(10, knee, add=1e4), external=at(10, knee, add=-1e4))


@forgery("walk", "torque_ratio")
def _a_torque_beyond_limits_that_the_file_raises(r):
    return _strained(r, {"torque_limits": [1e6] * r.model.nv})


@forgery("walk", "torque_ratio")
def _a_torque_beyond_limits_that_the_file_omits(r):
    return _strained(r, {"torque_limits": None})


@forgery("walk", "root_torque")
def _a_torque_on_the_root(r):
    return changed(r, torque=at(slice(None), 4, add=30.0))


@forgery("fall", "joint_angle")
def _a_knee_bent_forward(r):
    knee = r.model.joint("left_knee")
    free = changed(r, {"joint_lower": [None] * r.model.nv, "joint_upper": [None] * r.model.nv})
    return changed(free, qpos=at(slice(None), knee.qposadr[0], add=-3.0))


@forgery("walk", "self_pairs")
def _a_body_whose_hands_pass_through_it(r):
    return edited_model(r, r"<pair [^>]*left_hand[^>]*/>", "")


@forgery("walk", "self_pairs")
def _a_body_without_pairs_of_links(r):
    return edited_model(r, r"<pair [^>]*/>", "")


@forgery("fall", "limit_impulse")
def _impulses_of_limits_that_no_file_states(r):
    shoulder = r.meta["dof_names"].index("left_shoulder_y")
    return changed(r, {"body": "mine", "joint_lower": None, "joint_upper": None},
                   torque=at(50, shoulder, add=5.0), limit_impulse=at(50, shoulder, add=-5.0 * r.step))  # fmt: skip


@forgery("pushed", "limit_impulse")
def _a_stand_without_torques_on_limits_that_the_file_states(r):
    low, high = (fold(JointLimits.of(r).angles[:, 6:], axis=0) for fold in (np.min, np.max))
    stated = {"joint_lower": [None] * 6 + low.tolist(), "joint_upper": [None] * 6 + high.tolist()}
    return changed(r, stated, torque=np.zeros_like(r.torque), limit_impulse=r.limit_impulse + r.step * r.torque)


@forgery("pushed", "limit_impulse")
def _joints_that_feel_a_root_held_by_limits(r):
    stated = {key: [0.0] * 6 + r.meta[key][6:] for key in ("joint_lower", "joint_upper")}
    inertia, force = Replay.of(r).root_inertia, np.r_[50.0, np.zeros(5)]
    torque = inertia @ np.linalg.solve(inertia[:, :6], np.tile(force[:, None], (r.steps, 1, 1)))
    torque[:, :6] = 0.0
    impulse = r.limit_impulse + r.step * np.r_[force, np.zeros(r.model.nv - 6)]
    return changed(r, stated, torque=r.torque + torque[..., 0], limit_impulse=impulse)


@forgery("walk", "self_pairs")
def _a_body_whose_links_may_overlap(r):
    return edited_model(r, r'(<pair [^>]*)margin="[^"]*"', r'\1margin="-0.2"')


# -- contacts ------------------------------------------------------------------------------------------------------


@forgery("hang", "contact_kind")
def _grips_that_no_event_declares(r):
    return changed(r, {"events": []})


@forgery("hang", "contact_kind")
def _grips_that_no_event_declares_in_an_old_file(r):
    return changed(r, {"events": []}, limit_impulse=None)


@forgery("hang", "contact_kind")
def _grips_on_another_thing(r):
    return changed(r, contact_other=np.zeros_like(r.contact_other))


@forgery("hang", "pull")
def _grips_called_contacts(r):
    return changed(r, contact_kind=np.zeros_like(r.contact_kind), contact_normal=-r.contact_normal)


@forgery("walk", "contact_kind")
def _contacts_of_the_ground_called_those_of_the_body(r):
    return changed(r, contact_kind=np.full_like(r.contact_kind, 2))


@forgery("walk", "contact_distance")
def _a_foot_on_a_hand_that_is_far(r):
    hand = r.model.body("left_hand").id
    return changed(r, contact_kind=np.full_like(r.contact_kind, 2), contact_other=np.full_like(r.contact_other, hand))


@forgery("walk", "contact_kind")
def _a_foot_that_stands_on_itself(r):
    return changed(r, contact_other=r.contact_body)


@forgery("walk", "contact_distance")
def _the_other_foot(r):
    left, right = r.model.body("left_foot").id, r.model.body("right_foot").id
    other = {left: right, right: left}
    return changed(r, contact_body=np.array([other.get(int(b), int(b)) for b in r.contact_body]))


@forgery("walk", "friction_coefficient")
def _sticky_soles(r):
    return changed(r, contact_friction=3.0 * r.contact_friction)


@forgery("walk", "joint_equation")
def _forces_shared_otherwise(r):
    first = np.flatnonzero(np.bincount(r.contact_step) > 1)[0]
    a, b = np.flatnonzero(r.contact_step == first)[:2]

    def shift(force):
        force[a] += [0, 0, 5.0]
        force[b] -= [0, 0, 5.0]
        return force

    return changed(r, contact_force=shift)


@forgery("walk", "linear_momentum")
def _a_contact_twice(r):
    return without_contacts(r, np.sort(np.r_[np.arange(len(r.contact_step)), 40]))


@forgery("walk", "linear_momentum")
def _contacts_one_step_early(r):
    return changed(r, contact_step=np.maximum(r.contact_step - 1, 0))


# -- excuses -------------------------------------------------------------------------------------------------------


def with_a_falling_mass(r):
    """The recording with a body of 1e9 kg that falls freely, far above: by itself, it is physical."""
    falling = '<body pos="0 0 1000"><freejoint/><inertial pos="0 0 0" mass="1e9" diaginertia="1e9 1e9 1e9"/></body>'
    speed = -9.81 * r.step * np.arange(r.steps + 1)
    pose, velocity = np.zeros((r.steps + 1, 7)), np.zeros((r.steps + 1, 6))
    pose[:, 2] = 1000.0 + np.append(0.0, np.cumsum(r.step * speed[1:]))
    pose[:, 3], velocity[:, 2] = 1.0, speed
    forces = dict.fromkeys(("torque", "external", "limit_impulse"), lambda old: np.pad(old, ((0, 0), (0, 6))))
    limits = [*r.meta["torque_limits"], *[None] * 6]
    return changed(
        r, {"torque_limits": limits, "dof_names": None},
        model_xml=lambda xml: xml.replace("</worldbody>", falling + "</worldbody>"),
        qpos=lambda q: np.hstack([q, pose]), qvel=lambda v: np.hstack([v, velocity]), reference_qpos=None, **forces,
    )  # fmt: skip


def test_a_heavy_prop_is_physical():
    assert verdict(with_a_falling_mass(honest("walk"))).word is Word.PHYSICAL


@forgery("walk", "joint_equation", "joint_equation_p99", "joint_equation_median")
def _no_torques_beside_a_heavy_prop(r):
    return with_a_falling_mass(changed(r, torque=np.zeros_like))


def falling_ball(speed, throws=99):
    """A ball that falls on the ground, which throws it up with a speed (m/s) as often as it comes, or so many times."""
    ball = (
        '<mujoco><worldbody><geom type="plane" size="9 9 0.1" margin="0.04"/><body name="ball"><freejoint/>'
        '<geom type="sphere" size="0.1" mass="1" margin="0.04"/></body></worldbody></mujoco>'
    )
    h, steps = 1 / 120, 240
    height, gained, force = [0.5], [0.0], []
    for _ in range(steps):
        free = gained[-1] - 9.81 * h
        lands = height[-1] + h * free < 0.1
        touches = height[-1] < 0.1 + 1e-9
        thrown = bool(touches and speed and throws)
        throws -= thrown
        after = speed if thrown else (0.1 - height[-1]) / h if lands else free
        force.append((after - free) / h)
        gained.append(after)
        height.append(height[-1] + h * after)
    pose, velocity, up = np.zeros((steps + 1, 7)), np.zeros((steps + 1, 6)), np.array([0.0, 0.0, 1.0])
    pose[:, 2], pose[:, 3], velocity[:, 2] = height, 1.0, gained
    when = np.flatnonzero(force)
    count, none = len(when), np.zeros((steps, 6))
    return Recording(
        model_xml=ball, time=h * np.arange(steps + 1), qpos=pose, qvel=velocity, torque=none, external=none,
        contact_step=when, contact_body=np.ones(count, int), contact_other=np.zeros(count, int),
        contact_point=(pose[when, 2:3] - 0.1) / 2 * up, contact_normal=np.tile(up, (count, 1)),
        contact_force=np.array(force)[when, None] * up, contact_friction=np.ones(count),
        contact_kind=np.zeros(count, int), limit_impulse=none, reference_qpos=None, meta={"step": h, "root": "ball"},
    )  # fmt: skip


def test_a_ground_that_throws_is_refused():
    assert verdict(falling_ball(0.0)).word is Word.PHYSICAL
    assert failed(falling_ball(3.0)) == {"contact_throw"}
    assert failed(falling_ball(1.3, throws=1)) == {"contact_throw"}
    assert failed(falling_ball(0.4)) == {"contact_throw"}


def test_a_person_hit_by_a_heavy_box_is_physical():
    body = Body.named("human37")
    scene = Scene((body,), props=(Box(size=(0.5, 0.5, 0.5), mass=300.0, at=(0.3, 0.0, 3.0)),))
    hit = perform(World(scene), "limp", "stand", seconds=2.0).recording
    assert np.isin(hit.model.body("box").id, hit.contact_body) or np.isin(hit.model.body("box").id, hit.contact_other)
    assert verdict(hit).word is Word.PHYSICAL


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_is_refused_for_the_right_reason(name):
    base, forge, checks = FORGERIES[name]
    forged = forge(honest(base))
    found = audit(forged)
    assert found.verdict.word is Word.NOT_PHYSICAL
    assert checks <= failed(forged)
    assert found.verdict.reasons


@pytest.mark.parametrize("force", ["strong", [float("nan")] * 3])
def test_an_event_without_a_force_makes_no_recording(force):
    recording = honest("pushed")
    with pytest.raises(PoiseError, match="world_force"):
        audit(changed(recording, {"events": events(recording, world_force=force)}))


# -- what cannot be judged -----------------------------------------------------------------------------------------


def test_a_run_without_steps_is_not_physical():
    r = honest("walk")
    states = {name: getattr(r, name)[:1] for name in ("time", "qpos", "qvel")}
    none = {name: getattr(r, name)[:0] for name in ("torque", "external", "limit_impulse")}
    assert failed(changed(without_contacts(r), **states, **none)) == {"steps"}


def test_an_old_recording_is_judged_as_far_as_it_goes():
    assert np.abs(honest("fall").limit_impulse).max() > 0.01  # N m s
    old = changed(honest("fall"), limit_impulse=None)
    assert verdict(old).word is Word.PHYSICAL
    assert "impulses of joint limits" in verdict(old).unjudged[0]
    assert verdict(honest("fall")).unjudged == ()


def test_a_body_that_is_not_bundled_is_judged_by_the_limits_of_the_file():
    other = audit(changed(honest("walk"), {"body": "mine"}))
    assert other.verdict.physical
    assert "the file" in other.notes[0]
    assert "biped29" in audit(honest("walk")).notes[0]


def test_the_reason_says_how_far_the_centre_of_pressure_would_have_to_be():
    (reason,) = (text for text in verdict(changed(honest("pushed"), {"events": []})).reasons if "declares" in text)
    assert "N s" in reason
    assert "cm" in reason


def test_external_forces_that_are_not_finite_are_refused():
    with pytest.raises(PoiseError, match="finite"):
        audit(changed(honest("walk"), external=at(0, 0, add=np.nan)))


def test_the_equation_of_motion_agrees_with_the_mass_matrix_of_the_simulator():
    r = honest("pushed")
    terms = DynamicsTerms(r.model)
    replay = Replay.of(r)
    for k in (0, 20, 50):
        terms.evaluate(r.qpos[k], r.qvel[k])
        expected = terms.mass @ (r.qvel[k + 1] - r.qvel[k]) / r.step + terms.bias
        np.testing.assert_allclose(replay.inertial_force[k], expected, atol=1e-9)


def test_small_random_corruptions_are_refused():
    """1,008 corruptions were tried once; see docs/measuring.md."""
    made = [each for each in corruptions(60, seed=1) if each.size != SLIGHTEST]
    assert len(made) > 30
    assert [each for each in made if not each.refused] == []


def test_limits_of_a_loaded_body_are_the_bodys_only_with_the_declared_load():
    carrying = Request("stand", "human37", loads=("right_hand=15",), seconds=0.1).perform().recording
    body = named_body(carrying)
    assert body is not None
    assert body.name == "human37"
    assert named_body(changed(carrying, {"events": [{"kind": "load", "text": "right_hand=14"}]})) is None
