"""Jacobians of many points at once, from how MuJoCo tells the motion that each freedom makes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.kernel import kernel


def moved_by(model: Any, nv: int) -> NDArray[np.bool_]:
    """(nbody, nv) which links each of the first freedoms moves: its own, and all that hang on it."""
    out = np.zeros((model.nbody, nv), bool)
    for link in range(1, model.nbody):
        out[link] = out[model.body_parentid[link]]
        first = model.body_dofadr[link]
        out[link, max(first, 0) : max(first, 0) + model.body_dofnum[link]] = True
    return out


@kernel
def jacobians(point: Any, link: Any, chosen: Any, moves: Any, motion: Any, about: Any) -> Any:
    """(3 C, nv) those of chosen points (C, 3) of links (C,), and zeros for others.

    ``moves`` (nbody, nv) tells which freedoms move a link, ``motion`` (., 6) their turns and moves about a place (3,).
    """
    count, nv = point.shape[0], moves.shape[1]
    out = np.zeros((3 * count, nv))
    for c in range(count):
        if not chosen[c]:
            continue
        arm = point[c] - about
        for dof in range(nv):
            if moves[link[c], dof]:
                for i in range(3):
                    j, k = (i + 1) % 3, (i + 2) % 3
                    out[3 * c + i, dof] = motion[dof, 3 + i] + motion[dof, j] * arm[k] - motion[dof, k] * arm[j]
    return out
