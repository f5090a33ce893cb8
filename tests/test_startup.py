"""Starting is quick: help and import do not load the simulator."""

import subprocess
import sys
import time

import pytest

HEAVY = ("mujoco", "numba", "scipy")


def best_of(command, tries=6):
    """Seconds of the quickest run; the first one warms the disk."""
    spent = []
    for _ in range(tries):
        began = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True)
        spent.append(time.perf_counter() - began)
    return min(spent[1:])


def modules_after(code):
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"], capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("arguments", [("--help",), ("perform", "--help"), ("--version",)])
def test_help_appears_within_four_tenths_of_a_second(arguments):
    assert best_of([sys.executable, "-m", "poise", *arguments]) < 0.4


def test_importing_takes_less_than_three_tenths_of_a_second():
    assert best_of([sys.executable, "-c", "import poise"]) < 0.3


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
