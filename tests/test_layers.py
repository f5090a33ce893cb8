"""Imports point towards the foundations: a part may use its own room and the parts before it, never those after."""

import ast
from pathlib import Path

import poise

SOURCE = Path(poise.__file__).parent
LAYERS = [
    "version",
    "errors",
    "files",
    "lazy",
    "frozen",
    "library",
    "kernel",
    "spatial",
    "motion",
    "body",
    "dynamics",
    "contact",
    "optimize",
    "reference",
    "control",
    "world",
    "measure",
    "export",
    "beginning",
    "handover",
    "catching",
    "pushing",
    "hanging",
    "marking",
    "cueing",
    "describing",
    "performance",
    "session",
    "animation",
    "study",
    "preparation",
    "catalogue",
    "studio",
    "bench",
    "cli",
    "__main__",
    "__init__",
]
ROOMS = ("modal", "nqr", "poses", "pendulum", "rotation")


def imports_of(path: Path) -> set[str]:
    """Absolute module names that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            found.add(node.module or "")
    return {name for name in found if name == "poise" or name.startswith("poise.")}


def layer_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def test_every_part_has_a_layer():
    names = {path.stem if path.is_file() else path.name for path in SOURCE.iterdir() if path.suffix in (".py", "")}
    assert names - {"__pycache__"} <= set(LAYERS)


def test_imports_point_to_the_foundations():
    wrong = []
    for path in SOURCE.rglob("*.py"):
        own = layer_of("poise." + ".".join(path.relative_to(SOURCE).with_suffix("").parts))
        for module in imports_of(path):
            if LAYERS.index(layer_of(module)) > LAYERS.index(own):
                wrong.append(f"{path.relative_to(SOURCE)} imports {module}")
    assert wrong == []


def test_controllers_do_not_import_each_other():
    wrong = []
    for room in ROOMS:
        for path in (SOURCE / "control" / room).rglob("*.py"):
            others = [f"poise.control.{other}" for other in ROOMS if other != room]
            wrong += [m for m in imports_of(path) if any(m.startswith(other) for other in others)]
    assert wrong == []
