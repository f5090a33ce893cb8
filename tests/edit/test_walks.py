import math

import numpy as np
import pytest

from poise.edit.cycle import TimeWarpEdit
from poise.edit.pose import Mirror, TrunkEdit
from poise.edit.take import Span, edited
from poise.edit.travel import PathEdit, StrideEdit, TurnEdit, curve_through_points
from poise.edit.uneven_ground import HeightsEdit, SlopeEdit, StairsEdit
from poise.errors import PoiseError
from poise.rotations import yaw_of

WALKS = [
    StrideEdit(metres=0.1),
    StrideEdit(metres=-0.15),
    StrideEdit(factor=1.15, span=Span(1.0, 3.0)),
    TurnEdit(90.0, Span(1.0, 3.0)),
    TurnEdit(-180.0, Span(0.5, 4.0)),
    PathEdit(((1.5, 0.0), (2.5, 1.0), (2.5, 3.0))),
    SlopeEdit(5.0),
    SlopeEdit(-5.0),
    SlopeEdit(8.0, Span(1.5)),
    StairsEdit(0.15, 0.3, 4),
    StairsEdit(-0.15, 0.3, 4),
    StairsEdit(0.12, 0.3, 3, span=Span(1.0)),
    HeightsEdit(lambda x, y: 0.04 * np.sin(2 * x) + 0.02 * y),
]


@pytest.mark.parametrize("edit", WALKS, ids=str)
def test_feet_that_are_down_do_not_slide_and_knees_do_not_pop(gait, edit, slip):
    walked = edited(gait, edit)
    assert slip(walked) < 0.002
    assert np.abs(walked.qvel[:, 6:]).max() < 2.3 * np.abs(gait.qvel[:, 6:]).max()
    mostly = walked.down.sum() / gait.down.sum()
    assert mostly > 0.85


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0)])
def test_edits_compose_in_any_order(human_gait, order, slip):
    edits = [StrideEdit(metres=0.05), TurnEdit(45.0, Span(1.0, 3.0)), SlopeEdit(3.0), TrunkEdit(-0.03)]
    walked = edited(human_gait, *(edits[i] for i in order), TimeWarpEdit(0.9), Mirror())
    assert slip(walked) < 0.002
    assert walked.seconds == pytest.approx(human_gait.seconds / 0.9, abs=1 / human_gait.rate)


@pytest.mark.parametrize("metres", [0.1, -0.15])
def test_each_step_is_longer_by_what_was_asked(gait, metres, soles):
    walked = edited(gait, StrideEdit(metres=metres))
    ways = [footfalls(clip, gait.down, soles) for clip in (gait, walked)]
    assert ways[1] - ways[0] == pytest.approx(metres, abs=0.012)
    assert walked.seconds == gait.seconds


def footfalls(clip, down, soles):
    """Ways from each footprint in the middle of the clip to the next, of either foot."""
    bears = down[:, [0, len(clip.parts) // 2 - 1]]
    places = []
    for foot in range(2):
        edges = np.flatnonzero(np.diff(np.concatenate([[False], bears[:, foot], [False]]).astype(int))).reshape(-1, 2)
        places += [soles(clip)[(a + b) // 2, foot, :, 0].mean() for a, b in edges[1:-1]]
    return np.diff(np.sort(places))


@pytest.mark.parametrize("degrees", [30.0, 90.0, -180.0, 360.0])
def test_a_turn_ends_on_its_heading(gait, degrees):
    walked = edited(gait, TurnEdit(degrees, Span(0.5, 3.5)))
    turned = np.unwrap(yaw_of(walked.qpos[:, 3:7]))
    assert turned[-1] - turned[0] == pytest.approx(math.radians(degrees), abs=0.02)
    way = walked.qpos[-1, :2] - walked.qpos[-20, :2]
    assert math.cos(math.atan2(way[1], way[0]) - math.radians(degrees)) > 0.99
    before = slice(0, round(0.5 * gait.rate))
    assert walked.qpos[before] == pytest.approx(gait.qpos[before], abs=1e-6)


def test_a_path_goes_through_its_points(gait):
    points = ((1.5, 0.0), (2.5, 1.0))
    walked = edited(gait, PathEdit(points))
    for point in points:
        assert np.linalg.norm(walked.qpos[:, :2] - point, axis=1).min() < 0.05
    length = np.linalg.norm(np.diff(walked.qpos[:, :2], axis=0), axis=1).sum()
    assert length == pytest.approx(np.linalg.norm(np.diff(gait.qpos[:, :2], axis=0), axis=1).sum(), rel=0.02)


def test_a_curve_leaves_along_the_heading_and_meets_its_points():
    curve = curve_through_points(np.zeros(2), 0.0, np.array([[1.0, 1.0], [0.0, 2.0]]))
    assert np.abs(curve - [1.0, 1.0]).sum(axis=1).min() < 1e-12
    assert curve[-1] == pytest.approx([0.0, 2.0])
    assert math.atan2(*(curve[1] - curve[0])[::-1]) == pytest.approx(0.0, abs=0.05)


@pytest.mark.parametrize("degrees", [5.0, -5.0])
def test_soles_lie_on_the_slope(gait, degrees, soles):
    walked = edited(gait, SlopeEdit(degrees))
    above = soles(walked)[..., 2] - math.tan(math.radians(degrees)) * soles(walked)[..., 0]
    standing = gait.down[:, [0, len(gait.parts) // 2 - 1]]
    assert np.abs(above[standing]).max() < 0.002
    assert above.min() > -0.003


@pytest.mark.parametrize("rise", [0.15, -0.15])
def test_every_foot_is_on_a_tread_and_none_inside_a_step(gait, rise, soles):
    walked = edited(gait, StairsEdit(rise, 0.3, 4))
    places = soles(walked)
    level = rise * np.clip(np.floor((places[..., 0] - 0.6) / 0.3) + 1, 0, 4)
    balls = walked.down[:, [1, len(walked.parts) // 2]]
    above = places[..., 2] - level
    resting = np.abs(above[:, :, 2:][balls]) < 0.002
    assert resting.all()
    assert above.min() > -0.012
    assert walked.qpos[-1, 2] - gait.qpos[-1, 2] == pytest.approx(4 * rise, abs=0.03)


def test_stairs_begin_where_the_figure_is_when_they_are_asked_for(gait):
    walked = edited(gait, StairsEdit(0.1, 0.3, 2, span=Span(1.5)))
    assert walked.qpos[: round(1.5 * gait.rate)] == pytest.approx(gait.qpos[: round(1.5 * gait.rate)], abs=1e-12)
    assert walked.qpos[-1, 2] - gait.qpos[-1, 2] == pytest.approx(0.2, abs=0.02)


def test_a_motion_without_contacts_says_so(gait):
    from dataclasses import replace

    with pytest.raises(PoiseError, match="find its contacts first"):
        edited(replace(gait, down=None), SlopeEdit(5.0))


def test_standing_has_no_stride(gait):
    from dataclasses import replace

    still = replace(gait, qpos=np.tile(gait.qpos[:1], (gait.frames, 1)), down=np.tile(gait.down[:1], (gait.frames, 1)))
    with pytest.raises(PoiseError, match="needs a walk"):
        edited(still, StrideEdit(metres=0.1))
