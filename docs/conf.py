"""Sphinx: Markdown pages, some of their tables written from the code at build time."""

import dataclasses
import inspect
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import tables  # noqa: E402

import poise  # noqa: E402

tables.write(HERE / "_build" / "generated")

project = "Poise"
author = "The Poise developers"
copyright = author
version = release = poise.__version__
language = "en"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"Poise {version}"
html_static_path = ["_static"]
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
add_module_names = False

FIELD = re.compile(r"^    (\w+): (.+?)(?: = .+?)?  # (.+)$", re.MULTILINE)

SPECIAL, ESCAPED = re.compile(r"([*|_\\])"), r"\\\1"


def fields_from_comments(app, what, name, obj, options, lines):  # noqa: ARG001
    """Units and shapes of a dataclass stand in comments beside its fields: show them."""
    if what != "class" or not dataclasses.is_dataclass(obj):
        return
    found = FIELD.findall(inspect.getsource(obj))
    if found:
        lines.append("")
        lines += [f"- ``{field}``: {SPECIAL.sub(ESCAPED, meaning)}" for field, _, meaning in found]
        lines.append("")


def shorten_signature(app, what, name, obj, options, signature, returns):  # noqa: ARG001
    """The fields of a large dataclass are listed below it; its signature would only repeat them."""
    if what == "class" and dataclasses.is_dataclass(obj) and len(signature or "") > 200:
        return "(...)", returns
    return None


def setup(app):
    app.connect("autodoc-process-signature", shorten_signature)
    app.connect("autodoc-process-docstring", fields_from_comments)
