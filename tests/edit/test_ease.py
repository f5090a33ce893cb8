"""Live edits come and go without haste: joints turn at most half as fast again as in the motion."""

import numpy as np
import pytest

from poise.body.body import Body
from poise.body.pose_space import PoseSpace
from poise.edit.parse import parse_edit
from poise.edit.take import Live, eased, take_of
from poise.library.motions import named_motion

BODY = Body.named("human37")
WALK = named_motion("walk", BODY)


def peak_speed(reference, begin, end):
    """Largest speed (rad/s) of a joint between two times (s)."""
    qpos = np.array([reference.at(time).qpos for time in np.arange(begin, end, 1 / 120)])
    steps = 120 * PoseSpace(BODY).difference(qpos[:-1], qpos[1:])
    return max(np.linalg.norm(steps[:, list(joint.dofs[-3:])], axis=1).max() for joint in BODY.joints)


@pytest.mark.parametrize(
    "text",
    ["offset:spine=0:30:0", "offset:left_elbow=-60", "reach:left_hand=0.2:0.1:0.5", "trunk:-0.18", "carry:overhead",
     "warp:0.6", "stride:+0.15", "turn:90", "slope:8", "mirror", "trunk:-0.15@2-4"],
)  # fmt: skip
def test_live_edits_do_not_snap(text):
    own = peak_speed(WALK, 0.0, 3.0)
    for now in (2.0, 2.3, 2.45, 2.6):
        live = Live(WALK, BODY)
        live.edit(parse_edit(text), now)
        assert peak_speed(live, now - 0.1, now + 2.0) < 1.5 * own, now


def test_a_large_edit_takes_longer_than_a_small_one_unless_asked():
    take = take_of(WALK, BODY)
    small, large, asked = (
        eased(parse_edit(text), take).span.ease
        for text in ("trunk:-0.02@2", "offset:spine=0:60:0@2", "offset:spine=0:60:0@2,ease=0.3")
    )
    assert small == pytest.approx(0.3)
    assert 0.3 < large <= 3.0
    assert asked == 0.3


def test_an_edit_that_holds_from_the_beginning_has_nothing_to_ease():
    edit = parse_edit("offset:spine=0:60:0")
    assert eased(edit, take_of(WALK, BODY)) is edit
