"""References made to obey physics: which way is taken for which."""

from types import SimpleNamespace

import pytest

from poise.body.body import Body
from poise.errors import PoiseError
from poise.library import motions as obeying
from poise.library.motions import dynamic_reference as made_to_obey, fall_motion, named_motion, shipped_dynamic
from poise.performance.cast import cast
from poise.reference.played import Played


@pytest.fixture
def made(monkeypatch):
    """What is asked to make a motion, instead of a search of a minute."""
    calls, motion = [], shipped_dynamic("walk", "biped29")

    def maker(name):
        def make(what, *_, **__):
            calls.append((name, what))
            return SimpleNamespace(dynamic=motion)

        return make

    for name in ("build_shipped_motion", "with_physics"):
        monkeypatch.setattr(obeying, name, maker(name))
    return calls


def test_what_obeys_already_is_left_alone(made):
    walk = named_motion("walk", Body.named("biped29"))
    assert made_to_obey(walk, Body.named("biped29"), ships=True) is walk
    assert not made


def test_a_motion_that_ships_is_built_from_its_source(made):
    clip = shipped_dynamic("walk", "biped29").clip
    assert made_to_obey(Played(clip), clip.body, ships=True).motions
    assert made == [("build_shipped_motion", "walk")]


def test_a_users_motion_of_the_same_name_is_the_users(made):
    clip = shipped_dynamic("walk", "biped29").clip
    assert made_to_obey(Played(clip), clip.body, ships=False).motions
    assert made == [("with_physics", clip)]


def test_a_pose_is_refused():
    body = Body.named("human37")
    with pytest.raises(PoiseError, match="'fall' is a pose"):
        made_to_obey(fall_motion(body), body, ships=True)


def test_a_behaviour_is_refused_and_who_performs_it_is_told():
    chosen = cast("back-flip")
    with pytest.raises(PoiseError, match=r"'back-flip' is a behaviour.*its own controller"):
        made_to_obey(chosen.reference, chosen.body, ships=True)
