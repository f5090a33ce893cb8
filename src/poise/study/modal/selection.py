"""Orientation error if modes from number 6 + k on, or random modes, are planned ahead: [Jain2011] Fig. 5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from poise.control.modal.modal import Modal
from poise.control.modal.modes import Modes
from poise.control.modal.settings import LARGEST, ModalSettings
from poise.reference.archive import motion_display_name
from poise.study.experiment.plots import figure_panels
from poise.study.experiment.study import Figure, Row, Scope, Study
from poise.study.experiment.table import column_means, group_rows, rows_where
from poise.study.experiment.trial import cached_cast
from poise.study.modal.case import OURS, ModalCase, modal_trial_row, paper_window, study_body, summary_columns
from poise.study.modal.planning import pushed_and_unpushed_trials

RIGID = 6  # Number of rigid modes; the paper's mode numbers begin with them
PLANNED = 13  # Number of modes that are planned ahead: 6 to 18 in the paper's numbers
APART = 4  # Difference between one first mode k and the next
RANDOM, COARSE = 5, 2  # Number of random sets of modes in the whole and in the coarse scope
EVERY = 10  # Steps between the points of a curve
EARLY = 1.0
"""Time (s) from the start over which the errors of trials that fall and of trials that do not can be compared."""
LITERAL = replace(OURS, place=0.1, turn=0.5, force=0.1, low_place=0.5, soft=LARGEST, capture=0.0, believed=0.0)
"""The paper's weights and latency, without compliance (`soft`) and with fixed footholds."""
PLANS = {"Poise's": OURS, "the paper's": LITERAL}


@dataclass(frozen=True)
class SelectionCase(ModalCase):
    """A trial and the modes that are planned ahead in it."""

    modes: tuple[int, ...] = ()  # numbers, counted from the slowest deformation mode


class SelectedModal(Modal):
    """Modal-space control that treats the chosen modes as slow, whatever their frequencies, and the others as fast."""

    def __init__(self, settings: ModalSettings, chosen: Sequence[int]) -> None:
        super().__init__(settings)
        self._chosen = np.array(chosen, np.int64)

    def _split(self, modes: Modes) -> tuple[Modes, int]:
        rest = np.setdiff1d(np.arange(len(modes.frequency)), self._chosen)
        return reorder_modes(modes, np.concatenate([self._chosen, rest])), len(self._chosen)


def reorder_modes(modes: Modes, order: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Modes:
    """The modes in the order of the indices `order`."""
    shape, lever = (np.ascontiguousarray(table[:, order]) for table in (modes.shape, modes.lever))
    return modes._replace(frequency=modes.frequency[order], shape=shape, lever=lever)


def selection_cases(scope: Scope) -> list[SelectionCase]:
    """Cases for each motion, plan, set of modes and seed: one without a push, four with a push to one side."""
    return [
        SelectionCase(
            {"motion": motion_display_name(motion), "plan": plan, "modes": name, **pushed},
            trial,
            replace(settings, window=paper_window(motion)),
            modes=modes,
        )
        for motion in scope.motions
        for plan, settings in PLANS.items()
        for name, modes in planned_mode_sets(_deformation_mode_count(motion), scope.coarse).items()
        for pushed, trial in pushed_and_unpushed_trials(motion, scope)
    ]


def _deformation_mode_count(motion: str) -> int:
    body, _ = cached_cast(motion, study_body(motion), True)
    return body.nv - RIGID


def planned_mode_sets(count: int, coarse: bool = False) -> dict[str, tuple[int, ...]]:
    """Sets of modes by name, out of `count` deformation modes: runs of successive modes, and random sets."""
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


def run_selection_case(case: SelectionCase) -> Row:
    """Row of a trial, with the orientation error (rad, rms) of its first EARLY s and the error's curve over time."""
    turned: list[float] = []
    row = modal_trial_row(case, SelectedModal(case.settings, case.modes), turned)
    early = np.array(turned[: round(EARLY * case.trial.rate)])
    return {
        **row,
        "early_rad": float(np.sqrt(np.mean(early**2))),
        "curve": " ".join(f"{value:.4f}" for value in turned[::EVERY]),
    }


def selection_summary(rows: Sequence[Row]) -> list[Row]:
    """One row for each motion, plan, set of modes, with or without pushes; rows without pushes come first."""
    columns = {
        **summary_columns("trials", "survived", "seconds", "physical"),
        **column_means("early_rad", "turned_rms_rad", "joint_rms_deg", "jitter_ratio"),
    }
    ordered = sorted(rows, key=lambda row: bool(row["pushed"]))
    return group_rows(ordered, ("motion", "plan", "pushed", "modes"), columns)


def plot_selection(rows: Sequence[Row]) -> Figure:
    """The orientation error over time in the first trial of each set of modes; panels by motion, plan and push."""
    from matplotlib import colormaps

    shown = list(dict.fromkeys((str(row["motion"]), str(row["plan"]), bool(row["pushed"])) for row in rows))
    figure, axes = figure_panels(1, len(shown), size=(3.2 * len(shown) + 1.0, 3.2), share_rows=True)
    for axis, (motion, plan, pushed) in zip(axes[0], shown, strict=True):
        own = rows_where(rows, motion=motion, plan=plan, pushed=pushed)
        firsts = list({row["modes"]: row for row in reversed(own)}.values())[::-1]
        runs = [row for row in firsts if "random" not in str(row["modes"])]
        for k, row in enumerate(firsts):
            curve = np.array(str(row["curve"]).split(), float)
            time = EVERY / 120 * np.arange(len(curve))
            random = row not in runs
            colour = "grey" if random else colormaps["viridis"](k / max(len(runs), 1))
            label = "random" if random and k == len(runs) else None if random else str(row["modes"])
            axis.plot(time, curve, ":" if random else "-", color=colour, label=label)
        axis.set(yscale="log", xlabel="s")
        axis.set_title(f"{motion}, {'pushed' if pushed else 'left alone'},\n{plan} plan", fontsize=8)
    axes[0, 0].set_ylabel("error of orientation, rad")
    axes[0, -1].legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


STUDY: Study[SelectionCase] = Study(
    name="modal-selection",
    title="error of orientation with other modes planned ahead than the slowest",
    reproduces="Jain and Liu 2011, Fig. 5",
    whole=Scope(seeds=2, seconds=8.0, motions=("walk",)),
    quick=Scope(seeds=1, seconds=3.0, motions=("walk",), coarse=True),
    cases=selection_cases,
    run_case=run_selection_case,
    summary=selection_summary,
    plot=plot_selection,
)
