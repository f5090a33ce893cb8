"""Edits during a run change the horizon at once, also frames that were computed before."""

import numpy as np
import pytest

from poise import Body, Live, named_motion, parse_edit
from poise.control.modal.frames import ModalWindowFrames
from poise.control.modal.horizon import ModalHorizon
from poise.performance.start import PlacedReference
from poise.reference.reference import edition_of
from poise.world.terrain import Place

STEP, GRAVITY = 1 / 120, 9.81
SLOWER = parse_edit("warp:0.5@0.2-9,ease=0.01")


@pytest.fixture
def live():
    body = Body.named("human42")
    return Live(named_motion("walk", body), body)


def test_a_placed_reference_has_the_edition_of_its_reference(live):
    placed = PlacedReference(live, Place(x=1.0))
    assert edition_of(placed) == 0
    live.edit(SLOWER, 0.2)
    assert edition_of(placed) == edition_of(live) == 1
    assert edition_of(named_motion("walk", Body.named("human42"))) == 0


def test_the_horizon_is_computed_anew_after_an_edit(live):
    body = Body.named("human42")
    frames = ModalWindowFrames(body, PlacedReference(live, Place()), STEP)
    ahead = ModalHorizon(frames, 12, body.mass, GRAVITY, STEP)
    before = ahead.at(24).com.copy()
    assert not frames.drop_if_edited()
    live.edit(SLOWER, 24 * STEP)
    after = ahead.at(24).com
    np.testing.assert_allclose(after[0], before[0], atol=1e-3)
    gone = (after - after[0])[-1, 0] / (before - before[0])[-1, 0]
    assert gone == pytest.approx(0.5, abs=0.06)
    assert not frames.drop_if_edited()
