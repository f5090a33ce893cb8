"""The program as a process, the demo, and the bench."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from commanding import BODIES, refuse

from poise.cli.main import main
from poise.performance.request import Request


def test_bench_reports_ratios(capfd):
    assert main(["bench", "--steps", "10", "--json"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    cases = json.loads(out)["cases"]
    assert len(cases) >= 2
    for case in cases:
        assert case["ratio"] == pytest.approx(case["poise_us"] / case["mujoco_us"])


def test_the_program_as_a_process_fails_with_one_line(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "poise", "perform", "stand", "--body", "nobody"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.splitlines() == [
        f"poise: unknown body 'nobody'. Valid: {', '.join(BODIES)}.",
    ]
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_leaves_early_is_no_error():
    writer = subprocess.Popen(
        [sys.executable, "-m", "poise", "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    writer.stdout.close()
    err = writer.stderr.read()
    writer.stderr.close()
    writer.wait()
    assert "Traceback" not in err
    assert "Exception" not in err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["list"], ["list", "--json"], ["--help"], ["--version"]])
def test_output_on_a_full_disk_fails_with_one_line(arguments):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "poise", *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert "No space left" in done.stderr


@pytest.mark.parametrize("place", ["poise.cli.main", "argparse", "poise.cli.command"])
def test_an_interrupt_during_the_imports_is_reported_as_any_other(place):
    code = (
        "import sys\nfrom importlib.abc import MetaPathFinder\n"
        "class Interrupt(MetaPathFinder):\n"
        "    def find_spec(self, name, path, target=None):\n"
        f"        if name == {place!r}: raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupt())\nsys.modules.pop('argparse', None)\n"
        "from poise.__main__ import run\nsys.exit(run())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "poise: interrupted\n")


def test_a_path_with_odd_characters_is_named(here, capfd):
    refuse(["audit", "a\0b"], capfd, "null byte")
    refuse(["export", "a\udcff.npz", "b.csv"], capfd, "cannot read")


def test_perform_is_a_function_whatever_was_imported_before():
    code = "import poise.performance.request, poise; assert callable(poise.perform), type(poise.perform)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_demo_is_a_physical_fall_to_the_foot_of_the_stairs(tmp_path):
    """`make demo`, whole: a rag doll that tumbles down eight steps and comes to rest below."""
    outcome = Request("fall", "human37", "limp", terrain="stairs:0.18:0.3:8").perform_and_write(tmp_path)
    assert outcome.summary["physical"]
    pelvis = outcome.performance.recording.qpos[:, 2]
    assert pelvis[0] > 2.0
    assert pelvis[-1] < 0.6
    assert np.abs(outcome.performance.recording.qvel[-1]).max() < 1.0
