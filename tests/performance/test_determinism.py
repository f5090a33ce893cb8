"""Same input, same output, bit for bit."""

import hashlib
import json
import subprocess
import sys

import numpy as np
import pytest

import poise
from poise.performance.request import Request
from poise.world.recording import ARRAYS, Recording

SESSIONS = {
    "stand": {"motion": "stand", "body": "biped29", "pushes": ("80@0.1,dir=30",), "seconds": 0.4},
    "fall": {
        "motion": "fall",
        "body": "human37",
        "controller": "limp",
        "terrain": "stairs:0.15:0.3:4",
        "seconds": 0.6,
        "seed": 3,
        "noise": 0.2,
    },
    "rough": {"motion": "fall", "body": "lamp14", "controller": "limp", "terrain": "rough:0.1:5", "seconds": 0.4},
}


def print_of(recording):
    """A digest of everything in a recording."""
    digest = hashlib.sha256()
    for name in ARRAYS:
        array = getattr(recording, name)
        digest.update(f"{name} {array.dtype} {array.shape}".encode() + np.ascontiguousarray(array).tobytes())
    digest.update(recording.model_xml.encode())
    digest.update(json.dumps(recording.meta).encode())
    return digest.hexdigest()


def arguments(session):
    """The same session as a command line."""
    names = {"pushes": "push"}
    out = [session["motion"]]
    for key, value in session.items():
        if key != "motion":
            for item in value if isinstance(value, tuple) else (value,):
                out += [f"--{names.get(key, key)}", str(item)]
    return out


@pytest.mark.parametrize("name", SESSIONS)
def test_twice_in_one_process_is_bit_identical(name):
    first, second = (Request(**SESSIONS[name]).perform().recording for _ in range(2))
    assert len(first.contact_step) > 0
    assert print_of(first) == print_of(second)


def test_separate_processes_write_identical_recordings(tmp_path):
    recordings = []
    for k in range(2):
        subprocess.run(
            [sys.executable, "-m", "poise", "perform", *arguments(SESSIONS["fall"]), "--out", str(tmp_path / str(k))],
            env={"PYTHONHASHSEED": str(k + 1), **_environment()}, capture_output=True, check=True,
        )  # fmt: skip
        recordings.append(Recording.load(tmp_path / str(k) / "recording.npz"))
    first, second = recordings
    assert print_of(first) == print_of(second)
    assert print_of(first) == print_of(_finished(SESSIONS["fall"], tmp_path / "here"))
    for name in ("motion.bvh", "page.html"):
        assert (tmp_path / "0" / name).read_bytes() == (tmp_path / "1" / name).read_bytes(), name


def _environment():
    import os

    return {key: value for key, value in os.environ.items() if key != "PYTHONHASHSEED"}


def _finished(session, folder):
    """The recording as `Request.write` writes it, from this process."""
    Request(**session).perform_and_write(folder)
    return Recording.load(folder / "recording.npz")


def test_a_recording_comes_back_from_its_file_unchanged(tmp_path):
    recording = Request(**SESSIONS["stand"]).perform().recording
    recording.save(tmp_path / "r.npz")
    assert print_of(Recording.load(tmp_path / "r.npz")) == print_of(recording)


def test_seeds_decide_the_noise_and_nothing_else():
    session = {**SESSIONS["stand"], "seconds": 0.1}
    quiet = [Request(**session, seed=seed).perform().recording for seed in (0, 1)]
    noisy = [Request(**session, seed=seed, noise=0.3).perform().recording for seed in (0, 1)]
    np.testing.assert_array_equal(quiet[0].qpos, quiet[1].qpos)
    assert np.abs(noisy[0].qpos[-1] - noisy[1].qpos[-1]).max() > 1e-4
    assert np.abs(noisy[0].qpos[-1] - quiet[0].qpos[-1]).max() > 1e-4


def test_a_world_that_was_used_before_starts_afresh():

    body = poise.Body.named("biped29")
    world = poise.World(poise.Scene.of(body))
    motion, controller = poise.named_motion("stand", body), poise.named_controller("hold")
    first = poise.perform(world, controller, motion, seconds=0.3, pushes=[poise.Push(120.0, 0.05)]).recording
    second = poise.perform(world, controller, motion, seconds=0.3, pushes=[poise.Push(120.0, 0.05)]).recording
    assert print_of(first) == print_of(second)
