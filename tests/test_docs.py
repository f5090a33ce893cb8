"""Documentation that cannot drift: names, citations and commands in it are checked against the code."""

import ast
import pkgutil
import re
import shlex
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import poise
from poise.cli.main import build_parser
from poise.library.authoring.source import shipped_names
from poise.library.motions import shipped_dynamic
from poise.physics.certificate import Certificate, Deviation
from poise.reference.archive import save_prepared

ROOT = Path(__file__).parent.parent
SOURCE = Path(poise.__file__).parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*.py"))
CITATION = re.compile(r"\[([A-Za-z]*[A-Z][A-Za-z]*\d{3,4})(?:, [^\]]*)?\]")
KEYS = set(re.findall(r"^\*\*\[(\w+)\]\*\*", (DOCS / "references.md").read_text(), re.MULTILINE))


def commands() -> list[str]:
    """All poise command lines in fenced blocks of README and documentation, and in the Makefile."""
    found = []
    for page in PAGES:
        for block in re.findall(r"^```(?:sh|console)\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
            found += re.findall(r"^(?:\$ )?poise (.+)$", block, re.MULTILINE)
    return found + re.findall(r"/poise (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)


@pytest.mark.parametrize("command", commands())
def test_commands_parse(command):
    build_parser().parse_args(shlex.split(command, comments=True))


def test_there_are_commands_to_check():
    assert len(commands()) > 5


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_modules_and_names_that_pages_mention_exist(page):
    text = page.read_text()
    told = set(re.findall(r"`+(poise(?:\.\w+)+)", text)) - {"poise.controllers"}  # a group of entry points
    for module, names in re.findall(r"^from (poise[\w.]*) import ([\w, ]+)$", text, re.MULTILINE):
        told |= {f"{module}.{name.strip()}" for name in names.split(",")}
    missing = []
    for name in sorted(told):
        try:
            pkgutil.resolve_name(name)
        except (ImportError, AttributeError):
            missing.append(name)
    assert missing == []


@pytest.mark.parametrize("name", poise.__all__)
def test_public_names_are_documented(name):
    assert re.search(rf"^\.\. \S+:: poise[\w.]*\.{name}$", (DOCS / "api.md").read_text(), re.MULTILINE)


def test_citations_in_the_code_are_in_the_references():
    cited = {key for path in SOURCE.rglob("*.py") for key in CITATION.findall(path.read_text())}
    assert {"deLeva1996", "Featherstone2008", "Stewart1996"} <= cited
    assert sorted(cited - KEYS) == []


def test_citations_in_the_pages_are_in_the_references():
    cited = {key for page in PAGES for key in CITATION.findall(page.read_text())}
    assert sorted(cited - KEYS) == []


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_explain_themselves_and_have_a_picture(example):
    text = ast.get_docstring(ast.parse(example.read_text()))
    assert text
    assert "\n\n" in text
    assert (DOCS / "_static" / f"{example.stem}.png").is_file()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run_anywhere_and_write_into_a_folder_of_their_own(example, tmp_path):
    done = subprocess.run([sys.executable, example], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "not physical" not in done.stdout
    (folder,) = tmp_path.iterdir()
    assert folder.name.startswith("poise-")
    assert any(path.suffix == ".html" for path in folder.iterdir())


@pytest.mark.parametrize("name", shipped_names())
def test_motions_that_come_with_poise_have_pictures(name):
    assert (DOCS / "_static" / "motions" / f"{name}.png").is_file()
    assert (DOCS / "_static" / "motions" / "thumbnails" / f"{name}.png").is_file()


def test_the_keys_of_physics_are_documented():
    told = (DOCS / "measuring.md").read_text()
    keys = [field.name for kind in (Certificate, Deviation) for field in fields(kind)]
    assert [key for key in keys if f"`{key}`" not in told] == []


def test_what_a_reference_file_holds_is_documented(tmp_path):
    told = (DOCS / "recording.md").read_text()
    motion = shipped_dynamic("stand", "biped29")
    with np.load(save_prepared(motion.clip, tmp_path / "stand.npz", motion)) as archive:
        assert [key for key in archive.files if f"`{key}`" not in told] == []


def test_pictures_are_small():
    assert [path.name for path in DOCS.glob("_static/**/*.png") if path.stat().st_size > 300_000] == []


def test_links_of_the_readme_lead_somewhere():
    links = re.findall(r"\]\(([^):#]+)\)", (ROOT / "README.md").read_text())
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_pages_show_the_output_of_every_study():
    from poise.study.catalogue import STUDIES

    stored = {path.stem for path in (DOCS / "measurements").glob("*.json")}
    shown = set(re.findall(r"generated/study-([\w-]+)\.md", "".join(page.read_text() for page in PAGES)))
    assert stored == shown == set(STUDIES)
