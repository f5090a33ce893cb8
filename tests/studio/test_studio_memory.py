"""Slow preparations are cached."""

import pytest

from poise.body.body import Body
from poise.control.catalogue import named_controller
from poise.control.nqr import nqr
from poise.control.nqr.segment import repertoire_segments
from poise.control.nqr.weights import nqr_weights
from poise.library.repertoire import Roaming, shipped_repertoire
from poise.studio import show as module
from poise.studio.show import ShowMemory
from poise.world.scene import Scene
from poise.world.world import World


def test_steps_are_looked_along_once_for_each_body_and_settings(monkeypatch):
    looked = []

    def look(*_):
        looked.append(1)
        return segments

    body = Body.named("biped29")
    roaming = Roaming(shipped_repertoire(body), "walk")
    world = World(Scene.of(body))
    segments = repertoire_segments(roaming.motions, nqr_weights(body), 1)
    monkeypatch.setattr(nqr, "repertoire_segments", look)
    memory = ShowMemory()
    for _ in range(2):
        controller = named_controller("nqr")
        controller.memory = memory.prepared(controller)
        controller.reset(world, roaming)
    assert len(looked) == 1


@pytest.mark.parametrize(("motion", "times"), [("walk", 1), ("mine.bvh", 2)])
def test_shipped_motions_are_put_on_a_body_once_and_files_each_time(motion, times, monkeypatch):
    found = []
    monkeypatch.setattr(module, "cast", lambda *told, **more: found.append(told))
    memory = ShowMemory()
    for _ in range(2):
        memory.cast(motion, "human58", print, False, None)
    assert len(found) == times
