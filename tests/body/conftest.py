"""Checks that take a `body` run on all kinds of bodies."""

import pytest

from bodies import NAMES, body_of


@pytest.fixture(params=NAMES)
def body(request):
    return body_of(request.param)
