import numpy as np
import pytest

from poise.errors import PoiseError
from poise.library.motions import shipped_dynamic
from poise.physics.certificate import certify
from poise.physics.dynamic_motion import Variation, parse_physics_variation, varied_sketch, with_physics
from poise.physics.optimise import optimise
from poise.reference.supports import sketch_of_clip
from poise.rotations import quat_conjugate, quat_multiply, yaw_of


@pytest.fixture(scope="module")
def walk():
    clip = shipped_dynamic("walk", "biped29").clip
    return sketch_of_clip(clip)


def way(clip):
    return clip.qpos[-1, :2] - clip.qpos[0, :2]


def turned(clip):
    return float(yaw_of(quat_multiply(clip.qpos[-1, 3:7], quat_conjugate(clip.qpos[0, 3:7]))))


def test_variations_as_they_are_typed():
    assert parse_physics_variation(()).nothing
    assert parse_physics_variation(("speed:1.2", "turn:-90")) == Variation(speed=1.2, turn=-np.pi / 2)
    assert parse_physics_variation(("lift:0.1",)).lift == 0.1
    for text in ("speed", "speed:fast", "stride:0", "lift:nan"):
        with pytest.raises(PoiseError, match=f"variation '{text}' is not of the form"):
            parse_physics_variation((text,))
    with pytest.raises(PoiseError, match="unknown variation 'sped'"):
        parse_physics_variation(("sped:2",))


def test_nothing_changes_nothing(walk):
    assert varied_sketch(walk, Variation()) is walk


def test_speed_is_made_by_rhythm_and_stride(walk):
    faster = varied_sketch(walk, Variation(speed=1.3)).clip
    assert np.linalg.norm(way(faster)) / faster.seconds == pytest.approx(
        1.3 * np.linalg.norm(way(walk.clip)) / walk.clip.seconds
    )
    assert faster.seconds < walk.clip.seconds
    assert np.linalg.norm(way(faster)) > np.linalg.norm(way(walk.clip))


def test_a_stride_keeps_its_time_and_the_sway(walk):
    longer = varied_sketch(walk, Variation(stride=1.2)).clip
    assert longer.seconds == walk.clip.seconds
    assert np.allclose(way(longer), 1.2 * way(walk.clip))
    across = np.array([-way(walk.clip)[1], way(walk.clip)[0]])
    assert np.allclose(longer.qpos[:, :2] @ across, walk.clip.qpos[:, :2] @ across)


def test_a_bend_turns_the_body_and_keeps_the_length_of_its_path(walk):
    bent = varied_sketch(walk, Variation(turn=0.5)).clip
    assert turned(bent) == pytest.approx(0.5)
    length = [np.linalg.norm(np.diff(clip.qpos[:, :2], axis=0), axis=1).sum() for clip in (bent, walk.clip)]
    assert length[0] == pytest.approx(length[1])


CHANGES = [
    Variation(turn=np.radians(25)),
    Variation(turn=np.radians(-60), speed=1.2),  # bounds leave no room on the way: the search has to begin anew
    Variation(speed=1.15),
    Variation(lift=0.06),
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_varied_walk_obeys_physics(walk, change):
    found = with_physics(walk.clip, change)
    sure = found.certificate
    assert sure.equations < 1e-6
    assert sure.slip_mm < 0.5
    assert sure.cone == sure.torque_excess == sure.joint_excess_deg == 0.0
    clip = found.dynamic.clip
    assert turned(clip) == pytest.approx(change.turn, abs=1e-8)
    speed = [np.linalg.norm(way(each)) / each.seconds for each in (clip, walk.clip)]
    if not change.turn:
        assert speed[0] == pytest.approx(change.speed * speed[1], rel=0.01)
    if change.lift:
        highest = np.where(found.dynamic.contacts.down, 0.0, found.dynamic.points()[..., 2]).max(axis=0)
        assert (highest >= 0.06 - 1e-6).all()  # of both feet, also the one that swings over the cycle's end


def test_what_stays_in_place_has_no_speed():
    clip = shipped_dynamic("squat", "biped29").clip
    with pytest.raises(PoiseError, match="goes nowhere"):
        varied_sketch(sketch_of_clip(clip), Variation(speed=1.2))
    held = shipped_dynamic("hang", "biped29")
    with pytest.raises(PoiseError, match="holds on to something"):
        varied_sketch(sketch_of_clip(held.clip), Variation(turn=1.0))


def test_a_reference_that_obeys_physics_is_its_own_nearest(walk):
    """The optimum of the problem around a solution is that solution, up to the pull of forces and torques."""
    again = optimise(walk)
    assert np.abs(again.dynamic.clip.qpos - walk.clip.qpos).max() < 0.01
    assert certify(again.dynamic).equations < 1e-6
