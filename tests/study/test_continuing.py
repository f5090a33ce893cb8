"""Studies that are stopped: rows are kept, the study continues from them, and its workers end with it."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from toys import TOYS, Toy, measure

from poise.errors import PoiseError
from poise.study.experiment.runner import run_study

SLOW = """
import os, sys, time
from dataclasses import replace
from pathlib import Path
from toys import TOYS
from poise.study.experiment.runner import run_study

def measure_slowly(toy):
    Path(f"pid-{os.getpid()}").touch()
    time.sleep(0.0 if toy.number < 2 else 600.0)
    return {"kind": "even", "number": toy.number, "square": toy.number**2}

if __name__ == "__main__":
    run_study(replace(TOYS, run_case=measure_slowly), workers=2, folder=Path("."))
"""


def counted(tmp_path):
    """The toys' study, which notes each case that it measures."""

    def measure_and_note(toy):
        with open(tmp_path / "noted", "a") as file:
            file.write(f"{toy.number} ")
        if (tmp_path / "broken").exists() and toy.number == 7:
            raise PoiseError("toy 7 is broken")
        return measure(toy)

    return replace(TOYS, run_case=measure_and_note)


def stopped(tmp_path):
    (tmp_path / "broken").touch()
    with pytest.raises(PoiseError, match="toy 7"):
        run_study(counted(tmp_path), workers=1, folder=tmp_path)
    (tmp_path / "broken").unlink()
    (tmp_path / "noted").unlink()


def test_a_stopped_study_continues_from_its_rows(tmp_path):
    stopped(tmp_path)
    with open(tmp_path / "toys.rows", "a") as file:
        file.write('[9, {"kind": "odd", "num')  # killed while it wrote
    findings = run_study(counted(tmp_path), workers=1, folder=tmp_path)
    assert (tmp_path / "noted").read_text() == "7 8 9 10 11 "
    assert findings.rows == run_study(TOYS, workers=1).rows
    findings.write(tmp_path)
    assert not (tmp_path / "toys.rows").exists()


@pytest.mark.parametrize("change", ["scope", "version", "cases", "code"])
def test_rows_of_another_study_are_not_used(change, tmp_path, monkeypatch):
    stopped(tmp_path)
    study, scope = counted(tmp_path), TOYS.whole
    if change == "scope":
        scope = replace(scope, seconds=2.0)
    if change == "version":
        monkeypatch.setattr("poise.study.experiment.runner.__version__", "9.9")
    if change == "cases":
        study = replace(study, cases=lambda scope: [Toy(n, "other") for n in range(12)])
    if change == "code":
        (tmp_path / "code").mkdir()
        (tmp_path / "code/__init__.py").touch()
        monkeypatch.setattr("poise.__file__", str(tmp_path / "code/__init__.py"))
    run_study(study, scope, workers=1, folder=tmp_path)
    assert len((tmp_path / "noted").read_text().split()) == 12


def test_workers_end_when_the_study_is_killed(tmp_path):
    """Rows that were measured before stay."""
    (tmp_path / "slow.py").write_text(SLOW)
    paths = [str(Path(__file__).parent), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    study = subprocess.Popen(
        [sys.executable, "slow.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        stderr=subprocess.DEVNULL,
    )
    rows = tmp_path / "toys.rows"
    assert holds_in_time(lambda: rows.exists() and rows.read_text().count("\n") == 3)
    workers = [int(path.name.removeprefix("pid-")) for path in tmp_path.glob("pid-*")]
    assert workers
    assert study.pid not in workers
    study.send_signal(signal.SIGKILL)
    study.wait()
    assert holds_in_time(lambda: not any(map(is_running, workers)))
    assert [json.loads(line)[0] for line in rows.read_text().splitlines()[1:]] == [0, 1]


def holds_in_time(condition):
    """Whether a condition becomes true, on a busy machine too."""
    for _ in range(2400):
        if condition():
            return True
        time.sleep(0.05)
    return False


def is_running(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
