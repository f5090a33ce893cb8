"""Help and import do not load the simulator, so that they are quick."""

import subprocess
import sys

import pytest

HEAVY = ("mujoco", "numba", "scipy")


def modules_after(code):
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"], capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


def test_importing_loads_no_simulator():
    loaded = modules_after("import poise")
    assert "poise" in loaded
    assert not loaded & set(HEAVY)
    assert "numpy" not in loaded


@pytest.mark.parametrize("command", ["", "perform ", "audit ", "export ", "motions get ", "study ", "list ", "bench "])
def test_help_loads_no_simulator(command):
    call = f"from poise.cli.main import main\ntry:\n    main('{command}--help'.split())\nexcept SystemExit:\n    pass"
    assert not modules_after(call) & set(HEAVY)


def test_public_names_are_loaded_when_used():
    loaded = modules_after("import poise\nfor name in poise.__all__:\n    assert getattr(poise, name) is not None")
    assert "mujoco" in loaded


def test_unknown_names_are_attribute_errors():
    import poise

    with pytest.raises(AttributeError, match="tail"):
        _ = poise.tail
