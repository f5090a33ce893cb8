"""A walk that obeys physics.

A captured walk contains no forces, and a simulated body has other masses than the actor. Trajectory optimisation finds
the nearest motion that joint torques and feet on the ground can produce, step by step. Here this is done for one cycle
of `walk.bvh`, straight and along a bend of 30 degrees per cycle. Both results pass the same audit as simulations.
"""

from math import radians
from pathlib import Path

import poise
from poise.edit.cycle import extract_cycle
from poise.export.formats import export
from poise.physics.dynamic_motion import recording_of_motion
from poise.reference.archive import save_prepared

WALK = Path(__file__).parent / "motions" / "walk.bvh"


def main(folder: Path) -> None:
    """Optimise both variations, audit them, and draw them."""
    cycle = extract_cycle(poise.prepare(WALK, poise.Body.named("biped29")).clip)
    folder.mkdir(exist_ok=True)
    for name, turn in (("straight", 0), ("bend", 30)):
        found = poise.with_physics(cycle, poise.Variation(turn=radians(turn)))
        print(f"{name}:", *found.lines(), sep="\n")
        failed = [check.name for check in poise.audit(recording_of_motion(found.dynamic)).checks if not check.passed]
        print(f"not physical: {', '.join(failed)}" if failed else "physical")
        save_prepared(found.dynamic.clip, folder / f"reference-{name}.npz", found.dynamic)
        for ending in ("png", "html"):
            print("wrote", export(found.dynamic, folder / f"{name}.{ending}"))


if __name__ == "__main__":
    main(Path("poise-physics"))
