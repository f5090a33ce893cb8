import numpy as np
import pytest
from hypothesis import given, strategies as st

from poise.ease import quintic_ease
from poise.edit.take import Span
from poise.errors import PoiseError

times = st.floats(0.0, 10.0)


@st.composite
def spans(draw):
    start = draw(st.none() | times)
    end = draw(st.none() | st.floats(0.01, 10.0).map(lambda t: (start or 0.0) + t))
    return Span(start, end, draw(st.floats(0.0, 3.0)))


def test_smooth_starts_and_ends_at_rest():
    h = 1e-4
    assert quintic_ease([0.0, 0.5, 1.0]) == pytest.approx([0.0, 0.5, 1.0])
    for edge in (0.0, 1.0):
        speed, bend = (
            np.diff(quintic_ease([edge - h, edge, edge + h])),
            np.diff(quintic_ease([edge - h, edge, edge + h]), 2),
        )
        assert np.abs(speed / h).max() < 1e-6
        assert np.abs(bend / h**2).max() < 1e-2


@given(spans())
def test_weight_is_nothing_outside_and_everything_inside(span):
    assert span.weight(np.linspace(0, 25, 500)).min() >= 0
    assert span.weight(np.linspace(0, 25, 500)).max() <= 1 + 1e-12
    if span.start is not None:
        assert span.weight(span.start) == 0
    if span.end is not None:
        assert span.weight(span.end) == pytest.approx(0)
        assert span.weight(span.end + 1) == pytest.approx(0)
        assert span.weight(((span.start or 0.0) + span.end) / 2) == pytest.approx(1)


@given(spans())
def test_passed_is_the_integral_of_the_weight(span):
    time = np.linspace(0, 21, 40001)
    weight = span.weight(time)
    area = np.concatenate([[0.0], np.cumsum(0.5 * (weight[1:] + weight[:-1]) * np.diff(time))])
    assert np.abs(span.passed(time) - span.passed(0.0) - area).max() < 2e-3


def test_a_span_never_holds_before_now():
    late = Span(1.0, 5.0, 0.5).since(2.0)
    assert late.weight(2.0) == 0
    assert late.weight(3.0) == 1
    assert Span().since(2.0).weight(1.9) == 0
    assert Span(3.0).since(2.0) == Span(3.0)
    with pytest.raises(PoiseError, match="before the current time"):
        Span(0.0, 1.0).since(2.0)


@pytest.mark.parametrize("values", [(2.0, 1.0), (-1.0, None), (None, float("inf")), (None, 0.0)])
def test_impossible_spans_are_refused(values):
    with pytest.raises(PoiseError):
        Span(*values)
