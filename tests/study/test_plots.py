"""Pictures that studies declare, survival shares and rings of plots."""

import numpy as np
import pytest

from poise.study.experiment.plots import bars, curves, dots, picture, plot_ring_edges, survival_shares


@pytest.mark.parametrize(
    ("radii", "edges"),
    [
        ([50.0, 100.0, 150.0], [25.0, 75.0, 125.0, 175.0]),
        ([250.0, 350.0, 400.0], [200.0, 300.0, 375.0, 425.0]),
        ([300.0], [150.0, 450.0]),
    ],
)
def test_rings_meet_half_way(radii, edges):
    np.testing.assert_allclose(plot_ring_edges(radii), edges)


def test_pairs_without_trials_have_no_share():
    rows = [{"force": 100.0, "direction": angle, "survived": angle == 0} for angle in (0, 0, 90)]
    weaker = {"force": 75.0, "direction": 0, "survived": True}
    angles, forces, shares = survival_shares(rows, "direction", "force", within=[*rows, weaker])
    assert (angles, forces) == ([0, 90], [75.0, 100.0])
    np.testing.assert_array_equal(shares, [[np.nan, np.nan], [1.0, 0.0]])


TRIED = [
    {"law": law, "gamma": gamma, "cost": 2.0 * gamma, "survived": law == "linear" or gamma < 0.5}
    for gamma in (1.0, 0.1, 0.1)
    for law in ("linear", "other")
]


def test_a_curve_goes_through_means_in_order_and_crosses_out_falls():
    (axis,) = picture(curves("gamma", ("cost",), ("law",)))(TRIED).axes
    (linear, _, other, fallen) = axis.get_lines()
    np.testing.assert_array_equal(linear.get_xydata(), [[0.1, 0.2], [1.0, 2.0]])
    assert [line.get_label() for line in (linear, other)] == ["linear", "other"]
    np.testing.assert_array_equal(fallen.get_ydata(), [np.nan, 2.0])
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("gamma", "cost")


def test_bars_and_dots_lie_on_the_line_of_their_group():
    picked = [{**row, "time_ms": 1.0} for row in TRIED if row["law"] == "other"]
    left, right = picture(bars(("cost", "time_ms"), ("gamma",), stacked=True), dots("cost", ("gamma",)))(picked).axes
    assert [label.get_text() for label in left.get_yticklabels()] == ["gamma 1", "gamma 0.1"]
    ends = [(bar.get_x() + bar.get_width(), round(bar.get_y() + 0.4, 9)) for bar in left.patches]
    np.testing.assert_allclose(ends, [(2.0, 0), (0.2, 1), (3.0, 0), (1.2, 1)])
    assert [(*line.get_xydata()[0], line.get_color()) for line in right.get_lines()] == [
        (2.0, 0.0, "C3"),
        (0.2, 1.0, "C2"),
        (0.2, 1.0, "C2"),
    ]
