"""A walk that obeys physics.

Nobody measured the forces behind a captured walk, and a simulated body has other masses. So the nearest motion is
looked for that joint torques and feet on the ground can bring about, step by step: here of one cycle of `walk.bvh`,
as it is and along a bend of 30 degrees per cycle. The audit that judges simulations finds nothing to object to.
"""

from math import radians
from pathlib import Path

import poise
from poise.edit.cycle import extract_cycle
from poise.export.formats import export
from poise.physics.recorded import rehearsed
from poise.reference.archive import save_prepared

WALK = Path(__file__).parent / "motions" / "walk.bvh"


def main(folder: Path) -> None:
    """Optimise, vary, audit, draw."""
    cycle = extract_cycle(poise.prepare(WALK, poise.Body.named("biped29")).clip)
    folder.mkdir(exist_ok=True)
    for name, turn in (("straight", 0), ("bend", 30)):
        found = poise.with_physics(cycle, poise.Variation(turn=radians(turn)))
        print(f"{name}:", *found.lines(), sep="\n")
        failed = [check.name for check in poise.audit(rehearsed(found.dynamic)).checks if not check.passed]
        print(f"not physical: {', '.join(failed)}" if failed else "physical")
        save_prepared(found.dynamic.clip, folder / f"reference-{name}.npz", found.dynamic)
        for ending in ("png", "html"):
            print("wrote", export(found.dynamic, folder / f"{name}.{ending}"))


if __name__ == "__main__":
    main(Path("poise-physics"))
