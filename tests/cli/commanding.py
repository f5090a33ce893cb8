"""Helpers of the command-line tests."""

import json
from pathlib import Path

import pytest

from poise.cli.main import main

WALK, JUMP, SQUAT = (Path(__file__).parents[2] / f"examples/motions/{name}.bvh" for name in ("walk", "jump", "squat"))
COMMANDS = ("perform", "prepare", "animate", "studio", "audit", "export", "motions", "study", "tune", "list", "bench")
BODIES = ("baby", "biped29", "human37", "human42", "human43", "human58", "lamp14")
NO_ROOT = '<mujoco><worldbody><body name="torso"><joint/><geom size=".1"/></body></worldbody></mujoco>'
BALL = '<mujoco><worldbody><body name="torso"><freejoint/><geom size=".1"/></body></worldbody></mujoco>'
PLATFORM = "[[platform]]\nx = [-1, 1]\ny = [-1, 1]\nz = 0.5\n"


def refuse(arguments, capfd, *words):
    """Run a command that must fail, and return its one-line error."""
    before = set(Path.cwd().rglob("*"))
    code = main([str(argument) for argument in arguments])
    out, err = capfd.readouterr()
    assert code == 1
    assert out == ""
    assert len(err.splitlines()) == 1, err
    assert err.startswith("poise: ")
    assert "Traceback" not in err
    for word in words:
        assert word in err
    assert set(Path.cwd().rglob("*")) == before  # nothing is left behind
    return err


def finite(text):
    """One JSON object, all of whose numbers are finite."""
    assert text.count("\n") == 1
    return json.loads(text, parse_constant=pytest.fail)
