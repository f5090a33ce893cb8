"""What a page is told of a stage: what there is to draw, who performs, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from poise.export.look import performer_span
from poise.export.page import scene_data
from poise.reference.preparing import changes
from poise.studio.show import Show
from poise.studio.uploads import shown_name


def announced(show: Show, harmless: Callable[[str], str]) -> dict[str, Any]:
    """All that a page has to know; `harmless` takes from a text what is none of its business."""
    choice, world = show.choice, show.run.world
    body = world.scene.body
    found = [] if show.imported is None else changes(show.imported)
    scene, upright = scene_data(world.model, world.qpos), np.array(world.model.qpos0)
    upright[world.scene.coordinates(0)] = body.standing
    scene["span"] = max(scene["span"], performer_span(world.model, upright))  # who begins curled up will stretch
    return {
        **scene,
        "dofs": [body.dof_names[k] for k in range(body.nv)],
        "links": list(body.links),
        "feet": [foot.link for foot in body.feet],
        "hands": [hand.link for hand in body.hands],
        "trunk": body.trunk,
        "body": body.name,
        "motion": shown_name(choice.motion) if choice.is_file else choice.motion,
        "controller": choice.controller,
        "terrain": choice.terrain,
        "steers": choice.steers,
        "guide": choice.guide,
        "live": show.live,
        "over": choice.goes_over,
        "bends": choice.bends_ground,
        "step": show.step_s,
        "found": [harmless(line) for line in found],
    }
