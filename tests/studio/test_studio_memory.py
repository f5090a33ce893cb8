"""Slow preparations are cached."""

from poise.body.body import Body
from poise.control.catalogue import named_controller
from poise.control.nqr import nqr
from poise.control.nqr.segment import repertoire_segments
from poise.control.nqr.weights import nqr_weights
from poise.library.motions import named_motion
from poise.library.repertoire import Roaming, shipped_repertoire
from poise.performance.cast import Cast
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


def test_a_file_is_prepared_again_only_when_its_content_or_the_body_changes(monkeypatch, tmp_path):
    prepared, obeyed = [], []
    made = Cast(Body.named("biped29"), named_motion("stand", Body.named("biped29")))
    monkeypatch.setattr(module, "cast", lambda *told: prepared.append(told[:2]) or made)
    monkeypatch.setattr(module, "dynamic_reference", lambda reference, *_: obeyed.append(1) or reference)
    memory, file = ShowMemory(), tmp_path / "mine.bvh"

    def cast(body="own", physics=False, changed=False):
        memory.cast(str(file), body, print, physics, None, changed)
        return len(prepared), len(obeyed)

    file.write_text("HIERARCHY")
    assert cast() == (1, 0)
    assert cast() == (1, 0)
    assert cast(physics=True) == (1, 1), "another controller"
    assert cast(physics=True) == (1, 1)
    assert cast(physics=True, changed=True) == (1, 1), "what is edited is made to obey physics afterwards"
    assert cast("biped29") == (2, 1)
    file.write_text("another")
    assert cast() == (3, 1)
    for k in range(2 * module.MOST_CASTS):
        memory.cast("walk", f"body {k}", print, False, None)
    assert len(memory._casts) == module.MOST_CASTS
