"""Mirrored motions: still physical, and themselves again when mirrored twice."""

from dataclasses import fields

import numpy as np
import pytest

from poise.library.motions import shipped_dynamic
from poise.library.repertoire import mirrored_repertoire_step
from poise.physics.certificate import certify
from poise.rotations import mirror_vector


@pytest.fixture(scope="module", params=["turn-90", "run", "stop"])
def motion(request):
    return shipped_dynamic(request.param, "biped29")


def test_a_mirrored_motion_is_as_physical(motion):
    here, there = certify(motion).as_dict(), certify(mirrored_repertoire_step(motion)).as_dict()
    assert there["equations"] < 1e-7
    assert there == pytest.approx(here, abs=1e-7)


def test_contacts_are_where_they_were_on_the_other_side(motion):
    assert mirrored_repertoire_step(motion).points() == pytest.approx(mirror_vector(motion.points()), abs=1e-12)


def test_mirrored_twice_it_is_the_same(motion):
    again = mirrored_repertoire_step(mirrored_repertoire_step(motion))
    assert again.contacts.names == motion.contacts.names
    assert again.contacts.links == motion.contacts.links
    assert again.clip.qpos == pytest.approx(motion.clip.qpos, abs=1e-12)
    assert np.array_equal(again.clip.down, motion.clip.down)
    for name in ("qvel", "torque"):
        assert getattr(again, name) == pytest.approx(getattr(motion, name), abs=1e-12)
    for field in fields(motion.contacts)[2:]:
        assert getattr(again.contacts, field.name) == pytest.approx(getattr(motion.contacts, field.name), abs=1e-12)


def test_what_stood_on_the_left_stands_on_the_right(motion):
    body, other = motion.clip.body, mirrored_repertoire_step(motion)
    for c, link in enumerate(motion.contacts.links):
        assert other.contacts.links[c] == body.link_mirror[link] != link
