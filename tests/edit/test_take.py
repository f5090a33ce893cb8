import mujoco
import numpy as np
import pytest

from poise.body.body import Body
from poise.edit.pose import Offset
from poise.edit.take import edited, take_of
from poise.edit.travel import StrideEdit
from poise.errors import PoiseError
from poise.library.motions import stand_motion
from poise.reference.played import Played


def test_a_take_is_the_reference_it_was_made_of(gait):
    played = Played(gait)
    take = take_of(played, gait.body)
    for time in np.linspace(0, gait.seconds + 0.5, 37):
        a, b = played.at(time), take.at(time)
        assert a.qpos == pytest.approx(b.qpos, abs=1e-12)
        assert (a.down == b.down).all()
        if abs(time * gait.rate - round(time * gait.rate)) > 1e-6:
            assert a.qvel == pytest.approx(b.qvel, abs=1e-9)


def test_a_clip_without_edits_stays_as_it_is(gait):
    same = edited(gait)
    assert same.qpos == pytest.approx(gait.qpos, abs=1e-12)
    assert (same.down == gait.down).all()


def test_velocities_are_those_of_the_poses(gait):
    take = StrideEdit(metres=0.1).on(take_of(Played(gait), gait.body))
    for time in (0.3, 1.234, 2.5):
        here, qpos = take.at(time), np.array(take.at(time).qpos)
        h = 1e-4
        mujoco.mj_integratePos(gait.body.model, qpos, here.qvel, h)
        assert take.at(time + h).qpos == pytest.approx(qpos, abs=1e-8)


def test_frames_do_not_depend_on_the_order_in_which_they_are_asked_for(gait):
    edit = StrideEdit(factor=1.2)
    forth, back = (edit.on(take_of(Played(gait), gait.body)) for _ in range(2))
    numbers = range(0, 240, 30)
    first = {k: forth.frame(k).qpos for k in numbers}
    for k in reversed(numbers):
        assert back.frame(k).qpos == pytest.approx(first[k], abs=1e-9)


def test_what_has_no_end_needs_a_length():
    body = Body.named("human37")
    take = Offset("spine", (0.0, 10.0, 0.0)).on(take_of(stand_motion(body), body))
    assert take.clip(0.5).frames == 61
    with pytest.raises(PoiseError, match=r"is endless: give it an end \(loop:N\)"):
        take.clip()
