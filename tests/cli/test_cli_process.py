"""The program as a process, the demo, and the bench."""

import json
import subprocess
import sys

import numpy as np
import pytest
from commanding import BODIES

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


def test_perform_is_a_function_whatever_was_imported_before():
    code = "import poise.performance.request, poise; assert callable(poise.perform), type(poise.perform)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_demo_is_a_physical_fall_to_the_foot_of_the_stairs(tmp_path):
    """`make demo`, whole: a rag doll that tumbles down eight steps and comes to rest below."""
    outcome = Request("fall", "human37", "limp", terrain="stairs:0.15:0.3:8").write(tmp_path)
    assert outcome.summary["physical"]
    pelvis = outcome.performance.recording.qpos[:, 2]
    assert pelvis[0] > 2.0
    assert pelvis[-1] < 0.6
    assert np.abs(outcome.performance.recording.qvel[-1]).max() < 1.0
