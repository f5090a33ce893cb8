"""`poise studio` on the command line."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from poise.cli.main import main
from poise.cli.studio import _announce_address
from poise.studio.processes import sigint_blocked


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_it_tells_its_address_serves_and_ends(ending, tmp_path):
    command = [sys.executable, "-m", "poise", "studio", "--json", "--no-browser", "--port", "0", "--motion", "run"]
    # A session of its own, so that the signal reaches its processes as Ctrl+C in a terminal would.
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path, start_new_session=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # background jobs ignore SIGINT
    ) as process:  # fmt: skip
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        assert told["address"].startswith(f"http://127.0.0.1:{told['port']}/?token=")
        with urllib.request.urlopen(told["address"], timeout=300) as page:
            assert b"Poise studio" in page.read()
        assert list(tmp_path.glob("poise-studio-*"))
        os.killpg(process.pid, ending)
        try:
            rest, errors = process.communicate(timeout=300)
        finally:
            process.kill()  # otherwise the exit waits for it
    assert process.returncode == 0
    assert rest == ""
    assert "Traceback" not in errors
    assert not list(tmp_path.glob("poise-studio-*"))  # uploads are removed


def test_the_browsers_command_does_not_show_the_token(monkeypatch, tmp_path, capsys):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    studio = SimpleNamespace(address="http://127.0.0.1:1/?token=secret", port=1)
    _announce_address(studio, SimpleNamespace(json=False, no_browser=False), tmp_path)
    assert "secret" in capsys.readouterr().out, "whoever opened the studio needs the link"
    assert "secret" not in opened[0]
    assert studio.address in Path(opened[0].removeprefix("file://")).read_text()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--motion", "wlak"], "walk"),
        (["--body", "nobody"], "unknown body"),
        (["--controller", "magic"], "unknown controller"),
        (["--terrain", "moon"], "terrain"),
        (["--port", "99999"], "port"),
    ],
)
def test_bad_names_are_refused_in_one_line(given, told, capsys):
    assert main(["studio", "--no-browser", *given]) == 1
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1


def test_a_port_that_is_taken_is_told(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["studio", "--no-browser", "--port", str(port)]) == 1
    assert str(port) in capsys.readouterr().err


def test_ctrl_c_while_a_performer_begins_is_heard_by_the_studio_alone():
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append("Ctrl+C"))
    try:
        with sigint_blocked():
            os.kill(os.getpid(), signal.SIGINT)
            blocked = subprocess.run(
                [sys.executable, "-c", "import signal; print(signal.SIGINT in signal.pthread_sigmask(0, []))"],
                capture_output=True,
                text=True,
                check=True,
            )
        assert heard == ["Ctrl+C"]
    finally:
        signal.signal(signal.SIGINT, before)
    assert blocked.stdout.strip() == "True"
