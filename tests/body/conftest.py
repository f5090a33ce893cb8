"""All kinds of bodies, to be checked alike: those that come with Poise, and those built for skeletons."""

from functools import cache

import pytest

import skeletons
from poise.body import Body, names

BUILT = {**skeletons.PEOPLE, **skeletons.CREATURES}


@cache
def body_of(name):
    """A bundled body, or one for the skeleton of that name."""
    return Body.from_skeleton(BUILT[name](), name=name) if name in BUILT else Body.named(name)


@pytest.fixture(params=[*names(), *BUILT])
def body(request):
    return body_of(request.param)
