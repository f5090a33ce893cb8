"""Slow preparations are cached."""

from copy import deepcopy
from types import SimpleNamespace

import pytest

from poise.studio import show as module
from poise.studio.show import Memory


def repertoire_of(body):
    return {"walk": SimpleNamespace(clip=SimpleNamespace(body=SimpleNamespace(name=body)))}


def test_steps_are_looked_along_once_for_each_body(monkeypatch):
    looked = []

    def look(repertoire, *_):
        looked.append(repertoire)
        return {"walk": len(looked)}

    monkeypatch.setattr(module, "segments_of", look)
    memory = Memory()
    again = [memory.look_ahead(repertoire_of(body), None, 1, False, print) for body in ("a", "b", "a")]
    assert again == [{"walk": 1}, {"walk": 2}, {"walk": 1}]
    assert deepcopy(memory) is memory


@pytest.mark.parametrize(("motion", "times"), [("walk", 1), ("mine.bvh", 2)])
def test_shipped_motions_are_put_on_a_body_once_and_files_each_time(motion, times, monkeypatch):
    found = []
    monkeypatch.setattr(module, "cast", lambda *told, **more: found.append(told))
    memory = Memory()
    for _ in range(2):
        memory.cast(motion, "human58", print, False, None)
    assert len(found) == times
