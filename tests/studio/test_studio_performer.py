"""The process of a visitor: it outlives what nobody has foreseen."""

import json
import threading
from multiprocessing import Pipe

from poise.studio import desk, performer
from poise.studio.performer import perform_for


def test_what_nobody_has_foreseen_is_told_and_outlived(tmp_path, monkeypatch, capsys):
    def broken(_):
        raise ZeroDivisionError("nobody thought of it")

    monkeypatch.setattr(desk.Desk, "_do_fits", lambda self, told: broken(told))
    monkeypatch.setattr(performer, "_limit_memory", lambda: None)  # it would be that of all tests to come
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
