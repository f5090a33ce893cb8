"""Fuzz the readers, the mini-languages and the studio's messages: `make fuzz SECONDS=60`.

Each target runs in a process of its own with 1 GB of memory beyond what the imports take, and 2 s of processor time per
input. With atheris, mutations are guided by the coverage of the code; without it, they are random. Inputs that escape
are written to the folder --out, and the exit code is then 1.
"""

import argparse
import hashlib
import json
import mmap
import os
import resource
import shutil
import signal
import struct
import sys
import tempfile
import time
import traceback
from pathlib import Path
from random import Random

from mutator import LONGEST, mutated, words_of
from target import Target
from targets import TARGETS

MEMORY = 2**30  # bytes, beyond those of the imports
SECONDS = 2.0  # of processor time per input
STUCK = 30.0  # s after which a process that makes no progress is ended: it hangs in compiled code
INSTRUMENTED = [f"poise.{name}" for name in (
    "motion", "body.mjcf", "body.mjcf_import", "body.load", "edit.parse", "toml_reader", "files",
    "world.recording", "world.terrain_kinds", "world.pushes", "animate", "library.behaviours",
    "control.commands", "control.entry", "reference.archive", "studio.wire", "studio.desk", "studio.pose_editor",
    "studio.script_sheet", "studio.transfers", "export", "measure.audit", "physics.dynamic_motion", "cli",
)]  # fmt: skip


class Hang(Exception):
    """An input took longer than allowed."""


class Board:
    """Memory that a worker shares with its parent: the number of inputs tried and escaped, and the present input."""

    def __init__(self):
        self._memory = mmap.mmap(-1, LONGEST + 64)

    def begin(self, data):
        self._memory[24 : 32 + len(data)] = struct.pack("<q", len(data)) + data

    def count(self, escaped):
        tried, before = self.counts
        self._memory[:16] = struct.pack("<qq", tried + 1, before + escaped)

    @property
    def counts(self):
        return struct.unpack("<qq", self._memory[:16])

    @property
    def present(self):
        length = struct.unpack("<q", self._memory[24:32])[0]
        return self._memory[32 : 32 + length]


class Worker:
    """Tries inputs in this process."""

    def __init__(self, target: Target, board: Board, out: Path):
        self._target, self._board, self._out = target, board, out
        self._folder = Path(tempfile.mkdtemp(prefix="poise-fuzz-"))
        self._seen: set[str] = set()
        os.chdir(self._folder)
        for seed in target.inputs():  # imports, compiles and caches
            target.escape(seed, self._folder)
        signal.signal(signal.SIGPROF, _raise_hang)
        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))

    def try_input(self, data: bytes) -> None:
        data = data[:LONGEST]
        self._board.begin(data)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        error: BaseException | None
        try:
            error = self._target.escape(data, self._folder)
        except Hang as hang:
            error = hang
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        self._board.count(error is not None)
        if error is not None:
            self._keep(data, error)
        if len(os.listdir(self._folder)) > 200:
            self.clean()

    def _keep(self, data, error):
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/poise/" in frame.filename]
        where = f"{Path(frames[-1].filename).name}:{frames[-1].name}" if frames else "?"
        kind = f"{type(error).__name__} in {where}"
        if kind not in self._seen:
            self._seen.add(kind)
            lines = "".join(traceback.format_exception(error))[-3000:]
            keep(self._out, self._target.name, data, f"{kind}: {str(error)[:200]}\n{lines}")

    def clean(self):
        for path in self._folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def _raise_hang(*_):
    raise Hang(f"more than {SECONDS} s")


def keep(out: Path, name: str, data: bytes, why: str) -> None:
    """Write an input that escaped, and why."""
    (out / name).mkdir(parents=True, exist_ok=True)
    path = out / name / hashlib.sha256(data).hexdigest()[:12]
    path.write_bytes(data)
    path.with_suffix(".txt").write_text(why, errors="backslashreplace")


def work(target, board, out, seconds, seed, guided, inputs):
    """Try inputs for a time, in a child process."""
    os.setsid()
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)  # libFuzzer reports at length
    guided = guided and not target.compiled
    if guided:
        import atheris

        with atheris.instrument_imports(include=INSTRUMENTED, enable_loader_override=False):
            for name in INSTRUMENTED:
                __import__(name)
    worker, random = Worker(target, board, out), Random(seed)
    pool = [data for data in target.inputs() if len(data) <= LONGEST]
    words = words_of(pool)
    if guided:
        corpus = Path(tempfile.mkdtemp(prefix="poise-corpus-"))
        for number, data in enumerate(pool):
            (corpus / str(number)).write_bytes(data)

        def mutate(data, most, number):
            chance = Random(number)
            if chance.random() < 0.25 and data[:2] != b"PK":
                return atheris.Mutate(data, most)
            return mutated(data, chance.choice(pool), words, chance)[:most]

        limits = {"max_total_time": max(1, int(seconds)), "max_len": LONGEST, "len_control": 0, "rss_limit_mb": 0}
        limits |= {"timeout": 100, "seed": seed + 1, "verbosity": 0}
        flags = [f"-{name}={value}" for name, value in limits.items()]
        atheris.Setup([sys.argv[0], *flags, str(corpus)], worker.try_input, custom_mutator=mutate)
        atheris.Fuzz()
        return
    end, tried = time.monotonic() + seconds, 0
    while time.monotonic() < end and (inputs is None or tried < inputs):
        worker.try_input(mutated(random.choice(pool), random.choice(pool), words, random))
        tried += 1


def fuzz(target, out, seconds, seed, guided, inputs=None):
    """Counts of inputs tried and escaped; a process that dies or hangs is replaced."""
    end, tried, escaped = time.monotonic() + seconds, 0, 0
    while time.monotonic() < end and (inputs is None or tried < inputs):
        board, began = Board(), time.monotonic()
        child = os.fork()
        if child == 0:
            try:
                work(target, board, out, end - began, seed, guided, None if inputs is None else inputs - tried)
            except BaseException as error:
                keep(out, target.name, b"", "".join(traceback.format_exception(error)))
                os._exit(3)
            os._exit(0)
        died = _watch(child, board)
        tried, escaped, seed = tried + board.counts[0], escaped + board.counts[1], seed + 1000
        if died and not board.counts[0]:
            raise RuntimeError(f"{target.name} cannot be fuzzed, see {out / target.name}: {died}")
        if died:
            tried, escaped = tried + 1, escaped + 1
            keep(out, target.name, bytes(board.present), died)
    return tried, escaped


def _watch(child, board):
    """Wait for a worker; the reason if it did not end by itself."""
    last, since = None, time.monotonic()
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return None if status == 0 else f"the process ended with status {status}"
        counts = board.counts
        if counts != last:
            last, since = counts, time.monotonic()
        elif counts[0] and time.monotonic() - since > STUCK:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return f"no answer in {STUCK} s"
        time.sleep(0.05)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60.0, help="for all targets together")
    parser.add_argument("--inputs", type=int, help="most inputs per target")
    parser.add_argument("--targets", nargs="*", default=list(TARGETS), choices=list(TARGETS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("fuzz-escapes"))
    parser.add_argument("--unguided", action="store_true", help="do not use atheris")
    chosen = parser.parse_args()
    try:
        import atheris
    except ImportError:
        atheris = None
    guided = atheris is not None and not chosen.unguided
    out, found = chosen.out.absolute(), {}
    print(
        f"{'guided by coverage' if guided else 'random'}, {chosen.seconds:g} s over {len(chosen.targets)} targets",
        flush=True,
    )
    for name in chosen.targets:
        began = time.monotonic()
        tried, escaped = fuzz(
            TARGETS[name], out, chosen.seconds / len(chosen.targets), chosen.seed, guided, chosen.inputs
        )
        found[name] = {"tried": tried, "escaped": escaped}
        print(f"{name:18} {tried:9} inputs {tried / (time.monotonic() - began):8.0f}/s {escaped:5} escaped", flush=True)
    total = {key: sum(counts[key] for counts in found.values()) for key in ("tried", "escaped")}
    print(f"{'all':18} {total['tried']:9} inputs            {total['escaped']:5} escaped", flush=True)
    out.mkdir(exist_ok=True)
    (out / "counts.json").write_text(json.dumps(found, indent=1))
    return 1 if total["escaped"] else 0


if __name__ == "__main__":
    sys.exit(main())
