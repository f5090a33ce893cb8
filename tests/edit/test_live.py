import mujoco
import numpy as np
import pytest

from poise import Scene, World, edit_cue, named_controller, perform
from poise.edit.blend import Blend
from poise.edit.cycle import extract_cycle
from poise.edit.foot_placement import EditedFootPlacement
from poise.edit.parse import parse_edit
from poise.edit.take import Live, Span, edited
from poise.reference.played import Played

EDITS = [
    "offset:left_elbow_y=-30",
    "reach:left_hand=0.1:0.1:0.1",
    "trunk:-0.08",
    "carry:front",
    "warp:0.75",
    "stride:+0.08",
    "turn:60",
    "path:6:0/7:2",
    "slope:5",
    "stairs:0.12:0.3:3",
    "mirror",
    "loop",
]


@pytest.mark.parametrize("text", EDITS)
@pytest.mark.parametrize("now", [1.9, 2.2])
def test_an_edit_is_seen_at_once_without_a_jump(human_gait, text, now):
    gait = human_gait
    live = Live(Played(extract_cycle(gait)), gait.body)
    before = [live.at(t).qpos for t in np.linspace(0, now, 50)]
    event = live.edit(parse_edit(text), now)
    assert event == {"time": now, "kind": "edit", "text": text}
    after = [live.at(t).qpos for t in np.linspace(0, now, 50)]
    assert np.abs(np.array(before) - after).max() < 1e-6  # nothing of the past changes
    plain = Played(extract_cycle(gait))
    fastest = max(speed_of(plain, gait, t) for t in np.linspace(now, now + 2.0, 120))
    assert max(speed_of(live, gait, t) for t in np.linspace(now - 0.05, now + 2.5, 300)) < 2.5 * fastest
    if text not in ("mirror", "loop"):  # which change nothing of a symmetric cycle
        assert max(far(live, plain, gait, t) for t in np.linspace(now, now + 2.0, 20)) > 0.01


def speed_of(reference, gait, time):
    way = np.zeros(gait.body.nv)
    mujoco.mj_differentiatePos(gait.body.model, way, 1e-3, reference.at(time).qpos, reference.at(time + 1e-3).qpos)
    return np.abs(way).max()


def far(one, other, gait, time):
    way = np.zeros(gait.body.nv)
    mujoco.mj_differentiatePos(gait.body.model, way, 1.0, one.at(time).qpos, other.at(time).qpos)
    return np.abs(way).max()


def test_edits_add_up_while_it_runs(gait):
    live = Live(Played(extract_cycle(gait)), gait.body)
    live.edit(parse_edit("stride:-0.05"), 1.0)
    live.edit(parse_edit("turn:90@2-4"), 1.5)
    live.edit(Blend(gait, span=Span(6.0)), 5.0)
    assert [event["time"] for event in live.events] == [1.0, 1.5, 5.0]
    assert live.duration is not None
    assert live.at(4.5).qpos[1] > 0.5


def test_a_live_edit_and_an_edited_clip_agree(gait):
    edit = parse_edit("turn:45@1-3")
    live = Live(Played(gait), gait.body)
    live.edit(edit, 0.5)
    clip = edited(gait, edit)
    for k in (30, 100, 200):
        assert live.at(k / gait.rate).qpos == pytest.approx(clip.qpos[k], abs=2e-3)


@pytest.mark.parametrize("whose", ["human_gait", "own_walk"])
@pytest.mark.parametrize("text", ["stride:-0.1", "trunk:-0.06", "warp:0.5", "carry:front"])
def test_a_running_controller_sees_an_edit_at_once_and_it_is_recorded(whose, text, request):
    clip = request.getfixturevalue(whose)
    live, edit = Live(Played(clip), clip.body), parse_edit(text)
    world = World(Scene.of(clip.body))
    done = perform(world, named_controller("hold"), live, seconds=1.0, cues=[edit_cue(live, edit, 0.4)]).recording
    assert done.meta["events"] == [{"time": pytest.approx(0.4), "kind": "edit", "text": text}]
    plain = World(Scene.of(clip.body))
    unedited = perform(plain, named_controller("hold"), Played(clip), seconds=1.0).recording
    apart = np.abs(done.reference_qpos - unedited.reference_qpos).max(axis=1)
    before = done.time <= 0.4
    assert apart[before].max() < 1e-9
    assert apart[-1] > 0.01
    assert np.abs(np.diff(apart)).max() < 0.1  # no jump
    assert np.abs(done.qpos - unedited.qpos)[~before].max() > 1e-4  # whoever tracks it does something else


def test_edits_of_steps_upon_each_other_solve_legs_once(human_gait, monkeypatch):
    cycle, solved, whole = extract_cycle(human_gait), [], EditedFootPlacement.settled
    monkeypatch.setattr(EditedFootPlacement, "settled", lambda self, *told: solved.append(1) or whole(self, *told))
    live = Live(Played(cycle), cycle.body)
    for text in ("turn:30", "trunk:-0.03@1,ease=0.3", "slope:3"):
        live.edit(parse_edit(text), 1.0)
    assert not solved  # to plan ahead no legs are needed
    for k in range(16):
        live.at(1.0 + k / human_gait.rate)
    assert len(solved) <= 3
