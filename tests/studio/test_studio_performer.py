"""The performer process survives unexpected errors."""

import json
import platform
import struct
import subprocess
import sys
import threading
from multiprocessing import Pipe
from types import SimpleNamespace

import pytest

from poise.studio import desk, performer
from poise.studio.performer import perform_for


def test_what_nobody_has_foreseen_is_told_and_outlived(tmp_path, monkeypatch, capsys):
    def broken(_):
        raise ZeroDivisionError("nobody thought of it")

    monkeypatch.setattr(desk.Desk, "_do_fits", lambda self, told: broken(told))
    for each in ("_limit_memory", "return_large_blocks"):
        monkeypatch.setattr(performer, each, lambda: None)  # it would affect all later tests
    ours, theirs = Pipe()
    thread = threading.Thread(target=perform_for, args=(theirs, str(tmp_path)))
    thread.start()
    try:
        assert json.loads(ours.recv())["say"] == "ready"
        ours.send({"do": "fits", "motion": "walk"})
        told = json.loads(ours.recv())
        assert told["say"] == "error"
        assert "nobody thought of it" in told["text"]
        assert json.loads(ours.recv()) == {"say": "playing", "on": False}
        ours.send({"do": "upload", "upload": "no content"})
        assert json.loads(ours.recv())["say"] == "error"
        ours.send({"do": "hello", "upload": "a command with this key is no upload"})
        assert json.loads(ours.recv())["say"] == "choices"
    finally:
        ours.close()
        thread.join(20)
    assert not thread.is_alive()
    assert "ZeroDivisionError" in capsys.readouterr().err


class Line:
    """A connection whose other end is in this test."""

    def __init__(self):
        self.waiting, self.frames = [], []

    def poll(self, _):
        return bool(self.waiting)

    def recv(self):
        return self.waiting.pop(0)

    def send(self, message):
        if isinstance(message, bytes):
            self.frames.append(struct.unpack("<d", message[8:16])[0])


def test_a_push_is_felt_and_shown_before_the_clock_comes_to_it(tmp_path, monkeypatch):
    now, line = [100.0], Line()
    monkeypatch.setattr(performer, "clock", SimpleNamespace(perf_counter=lambda: now[0]))
    loop = performer._PerformerLoop(line, tmp_path)

    def after(seconds, *commands):
        now[0] += seconds
        line.waiting += [{"do": name, **more} for name, more in commands]
        line.frames.clear()
        loop._listen()
        loop._perform()
        loop._report()
        return line.frames

    push, step = ("push", {"newtons": 50, "degrees": 0}), 1 / 120
    after(0.0, ("stage", {"motion": "stand", "controller": "hold"}))
    assert after(0.001) == []
    assert after(0.0, push) == pytest.approx([step])
    assert loop._desk.show.run.so_far().recording.external[0].any()
    assert after(0.0, push) == [], "it is ahead already"
    assert after(1.5 * step) == []
    assert after(step) == pytest.approx([2 * step])


THINNED = """
import mujoco
from poise.studio.performer import return_large_blocks

def taken():
    [line] = [line for line in open("/proc/self/status") if line.startswith("VmSize")]
    return int(line.split()[1]) / 1024

return_large_blocks()
model = mujoco.MjModel.from_xml_string('<mujoco><size memory="16M"/></mujoco>')
kept, small, before = {}, [], taken()
for k in range(200):
    kept = {at: data for at, data in kept.items() if at > k - 30 or at % 5 == 0}
    kept[k] = mujoco.MjData(model)
    small += [bytes(5_000) for _ in range(100)]
print((taken() - before) / len(kept))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have other ways")
def test_addresses_of_marks_that_are_thinned_out_are_free_again():
    told = subprocess.run([sys.executable, "-c", THINNED], capture_output=True, text=True, check=True)
    assert float(told.stdout) < 20, "MB for each of those that are kept"
