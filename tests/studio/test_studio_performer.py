"""The process of a visitor: it outlives what nobody has foreseen."""

import json
import platform
import subprocess
import sys
import threading
from multiprocessing import Pipe

import pytest

from poise.studio import desk, performer
from poise.studio.performer import perform_for


def test_what_nobody_has_foreseen_is_told_and_outlived(tmp_path, monkeypatch, capsys):
    def broken(_):
        raise ZeroDivisionError("nobody thought of it")

    monkeypatch.setattr(desk.Desk, "_do_fits", lambda self, told: broken(told))
    for each in ("_limit_memory", "give_back_large_pieces"):
        monkeypatch.setattr(performer, each, lambda: None)  # it would be that of all tests to come
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
        ours.send({"do": "hello"})
        assert json.loads(ours.recv())["say"] == "choices"
    finally:
        ours.close()
        thread.join(20)
    assert not thread.is_alive()
    assert "ZeroDivisionError" in capsys.readouterr().err


THINNED = """
import mujoco
from poise.studio.performer import give_back_large_pieces

def taken():
    [line] = [line for line in open("/proc/self/status") if line.startswith("VmSize")]
    return int(line.split()[1]) / 1024

give_back_large_pieces()
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
