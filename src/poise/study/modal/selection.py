"""Which modes should be planned ahead? [Jain2011] section 8, Fig. 5: the slowest, those from 6 + k on, random ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from poise.control.modal.modal import Modal
from poise.control.modal.modes import Modes
from poise.control.modal.settings import LARGEST, ModalSettings
from poise.reference.archive import spoken_name
from poise.study.experiment.plots import panels
from poise.study.experiment.study import Row, Scope, Study
from poise.study.experiment.table import grouped, mean
from poise.study.experiment.trial import cast_once
from poise.study.modal.case import OURS, TOLD, ModalCase, measured, performer, window_for
from poise.study.modal.curves import shaken

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RIGID = 6
PLANNED = 13
"""Modes that are planned ahead: 6 to 18 in the paper's numbers, which begin with the rigid ones."""
APART = 4
"""From one k to the next."""
RANDOM, COARSE = 5, 2
"""Random sets."""
EVERY = 10
"""Steps from one point of a curve to the next."""
EARLY = 1.0
"""s from the beginning in which errors of who falls and who does not can be compared."""
LITERAL = replace(OURS, place=0.1, turn=0.5, force=0.1, low_place=0.5, soft=LARGEST, capture=0.0, believed=0.0)
"""The paper's weights and latency; nothing gives way, and footholds stay."""
PLANS = {"Poise's": OURS, "the paper's": LITERAL}


@dataclass(frozen=True)
class Chosen:
    """A trial, and the modes that are planned ahead in it."""

    case: ModalCase
    modes: tuple[int, ...]  # counted from the slowest deformation on


class Choosing(Modal):
    """Plans some modes ahead, whatever their frequencies, and drives all others as it does fast ones."""

    def __init__(self, settings: ModalSettings, chosen: Sequence[int]) -> None:
        super().__init__(settings)
        self._chosen = np.array(chosen, np.int64)

    def _split(self, modes: Modes) -> tuple[Modes, int]:
        rest = np.setdiff1d(np.arange(len(modes.frequency)), self._chosen)
        return reordered(modes, np.concatenate([self._chosen, rest])), len(self._chosen)


def reordered(modes: Modes, order: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Modes:
    """The same modes in another order."""
    shape, lever = (np.ascontiguousarray(table[:, order]) for table in (modes.shape, modes.lever))
    return modes._replace(frequency=modes.frequency[order], shape=shape, lever=lever)


def cases(scope: Scope) -> list[Chosen]:
    """Each motion with each set of modes, left alone and pushed to four sides, planned as we do and as the paper."""
    return [
        Chosen(
            ModalCase(
                {"motion": spoken_name(motion), "plan": plan, "modes": name, **pushed},
                trial,
                replace(settings, window=window_for(motion)),
            ),
            modes,
        )
        for motion in scope.motions
        for plan, settings in PLANS.items()
        for name, modes in mode_sets(_deformations(motion), scope.coarse).items()
        for pushed, trial in shaken(motion, scope)
    ]


def _deformations(motion: str) -> int:
    body, _ = cast_once(motion, performer(motion), True)
    return body.nv - RIGID


def mode_sets(count: int, coarse: bool = False) -> dict[str, tuple[int, ...]]:
    """Sets of modes by name, of so many deformations."""
    planned = min(PLANNED, count)
    firsts = range(0, count - planned + 1, 2 * APART if coarse else APART)
    runs = {
        f"{RIGID + first} to {RIGID + first + planned - 1}": tuple(range(first, first + planned)) for first in firsts
    }
    drawn = {
        f"random {seed}": tuple(sorted(np.random.default_rng(seed).choice(count, planned, replace=False).tolist()))
        for seed in range(COARSE if coarse else RANDOM)
    }
    return runs | drawn


def measure(chosen: Chosen) -> Row:
    """Perform it; the error, and its curve over time."""
    turned: list[float] = []
    row = measured(chosen.case, Choosing(chosen.case.settings, chosen.modes), turned)
    early = np.array(turned[: round(EARLY * chosen.case.trial.rate)])
    return {
        **row,
        "early_rad": float(np.sqrt(np.mean(early**2))),
        "curve": " ".join(f"{value:.4f}" for value in turned[::EVERY]),
    }


def summary(rows: Sequence[Row]) -> list[Row]:
    """By motion, plan, pushed or not, and set of modes."""
    columns = {
        **{name: TOLD[name] for name in ("trials", "survived", "seconds", "physical")},
        "early_rad": mean("early_rad"),
        "turned_rms_rad": mean("turned_rms_rad"),
        "joint_rms_deg": mean("joint_rms_deg"),
        "jitter_ratio": mean("jitter_ratio"),
    }
    calm_first = sorted(rows, key=lambda row: bool(row["pushed"]))
    return grouped(calm_first, ("motion", "plan", "pushed", "modes"), columns)


def plot(rows: Sequence[Row]) -> Figure:
    """The error over time, a curve for each set of modes, by plan, left alone and pushed, each the first there is."""
    from matplotlib import colormaps

    shown = list(dict.fromkeys((str(row["motion"]), str(row["plan"]), bool(row["pushed"])) for row in rows))
    figure, axes = panels(1, len(shown), size=(3.2 * len(shown) + 1.0, 3.2), share_rows=True)
    for axis, (motion, plan, pushed) in zip(axes[0], shown, strict=True):
        own = [row for row in rows if (row["motion"], row["plan"], row["pushed"]) == (motion, plan, pushed)]
        here = list({row["modes"]: row for row in reversed(own)}.values())[::-1]
        runs = [row for row in here if "random" not in str(row["modes"])]
        for k, row in enumerate(here):
            curve = np.array(str(row["curve"]).split(), float)
            time = EVERY / 120 * np.arange(len(curve))
            random = row not in runs
            colour = "grey" if random else colormaps["viridis"](k / max(len(runs), 1))
            label = "random" if random and k == len(runs) else None if random else str(row["modes"])
            axis.plot(time, curve, ":" if random else "-", color=colour, label=label)
        axis.set_yscale("log")
        axis.set_xlabel("s")
        axis.set_title(f"{motion}, {'pushed' if pushed else 'left alone'},\n{plan} plan", fontsize=8)
    axes[0, 0].set_ylabel("error of orientation, rad")
    axes[0, -1].legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


STUDY: Study[Chosen] = Study(
    name="modal-selection",
    title="error of orientation with other modes planned ahead than the slowest",
    reproduces="Jain and Liu 2011, Fig. 5",
    whole=Scope(seeds=2, seconds=8.0, motions=("walk",)),
    quick=Scope(seeds=1, seconds=3.0, motions=("walk",), coarse=True),
    cases=cases,
    measure=measure,
    summary=summary,
    plot=plot,
)
