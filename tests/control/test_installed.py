"""Controllers that installed packages announce."""

from importlib.metadata import EntryPoint

import pytest

from poise.control import catalogue
from poise.control.entry import entry_from_object
from poise.control.plain import Hold, Limp
from poise.errors import PoiseError


@pytest.fixture
def announced(monkeypatch):
    values = {"extra": "poise.control.plain:Hold [fast]", "dotted": "poise.control.plain:LIMP.home", "none": "json:x.y"}
    points = [EntryPoint(name, value, catalogue.GROUP) for name, value in values.items()]
    monkeypatch.setattr(catalogue, "entry_points", lambda group: points)
    catalogue._controller_homes.cache_clear()
    yield
    catalogue._controller_homes.cache_clear()


@pytest.mark.usefixtures("announced")
def test_announced_names_may_have_extras_and_dots():
    assert isinstance(catalogue.named_controller("extra"), Hold)
    assert isinstance(catalogue.named_controller("dotted"), Limp)
    with pytest.raises(PoiseError, match=r"module json has no x\.y"):
        catalogue.named_controller("none")
    assert {"extra", "dotted"} < set(catalogue.controller_entries())


def test_a_subclass_with_the_entry_of_its_parent_is_made_itself():
    class Softer(catalogue.controller_entry("nqr").controller_type()):
        pass

    assert type(entry_from_object(Softer, "softer").make()) is Softer
