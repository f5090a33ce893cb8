"""Every target of the fuzzing, for a few hundred inputs; `make fuzz` tries as many as there is time for."""

from random import Random

import pytest
from mutator import mutated, words_of
from targets import TARGETS


@pytest.mark.parametrize("name", TARGETS)
def test_nothing_escapes(name, tmp_path, monkeypatch):
    """The inputs of the corpus, which once escaped, and a few mutations."""
    monkeypatch.chdir(tmp_path)
    target, random = TARGETS[name], Random(1)
    inputs = target.inputs()
    words = words_of(inputs)
    tried = [
        mutated(random.choice(inputs), random.choice(inputs), words, random) for _ in range(4 if target.slow else 25)
    ]
    for data in (*inputs, *tried):
        error = target.escape(data, tmp_path)
        assert error is None, f"{data[:300]!r} escapes: {error!r}"


@pytest.mark.parametrize("name", [name for name in TARGETS if name not in ("mjcf", "arguments", "recording-audit")])
def test_what_we_start_from_is_valid(name, tmp_path, monkeypatch):
    """Mutations of inputs that are refused at once would test nothing."""
    monkeypatch.chdir(tmp_path)
    target, accepted = TARGETS[name], 0
    for data in target.seeds():
        try:
            target.run(data, tmp_path)
            accepted += 1
        except Exception:
            continue
    assert accepted
