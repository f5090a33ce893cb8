"""Modes of bodies by frequency, spectra of motions, plans of other modes than the slowest: [Jain2011] Figs. 1 and 5."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array
from poise.body.assemble import body_names
from poise.body.body import Body
from poise.control.modal.modal import LARGEST, Modal, ModalSettings
from poise.control.modal.modes import ROOT, Modes, modal_stiffness, modes_at
from poise.dynamics.mechanism import DynamicsTerms
from poise.reference.archive import motion_display_name
from poise.study.experiment.plots import curves, drawn_of, picture, point_rows
from poise.study.experiment.study import Row, Scope, Study
from poise.study.experiment.table import column_means, group_rows, rows_by, rows_where
from poise.study.experiment.trial import cached_cast
from poise.study.modal import case as modal
from poise.study.modal.threshold_and_window import pushed_and_unpushed_trials

FEW = 3  # Number of principal components in each of two spectra: of the largest and of the smallest motions
MOVES = 1e-4  # Smallest motion (rad, rms) of a principal component; components that move less are left out
STANDING = "standing"
EVERY = 1 / 30  # Time (s) between the poses of a motion whose modes are computed
_SUMMARY = ("body", "pose", "rigid", "slow", "slow_most", "fast", "lowest", "below", "above", "highest", "first_hz",
            "last_hz")  # fmt: skip


@dataclass(frozen=True)
class PowerSpectrum:
    """The mean power spectrum of some components, each normalised to the same power."""

    share: Array  # (F,) share of the power at each multiple of the lowest frequency
    centre: float  # mean frequency, Hz


def component_spectra(joints: Array, seconds: float) -> tuple[PowerSpectrum, PowerSpectrum]:
    """Spectra of the first and of the last principal components of a cycle of joint angles (T, n), rad.

    `seconds` is the duration of the cycle. See [Jain2011] Fig. 1.
    """
    left, size, _ = np.linalg.svd(joints - joints.mean(axis=0), full_matrices=False)
    moving = left[:, size > MOVES * np.sqrt(len(joints))]
    return _mean_power_spectrum(moving[:, :FEW], seconds), _mean_power_spectrum(moving[:, -FEW:], seconds)


def _mean_power_spectrum(components: Array, seconds: float) -> PowerSpectrum:
    power = np.abs(np.fft.rfft(components, axis=0)[1:]) ** 2
    share = np.mean(power / power.sum(axis=0), axis=1)
    return PowerSpectrum(share, float(share @ np.arange(1, len(share) + 1)) / seconds)


@dataclass(frozen=True)
class ModesCase:
    """A body in its standing pose, or a motion of the body."""

    body: str | None
    motion: str | None = None


def modes_cases(scope: Scope) -> list[ModesCase]:
    """A case for each body in its standing pose, and a case for each motion."""
    standing = [ModesCase(name) for name in ((modal.BODY,) if scope.coarse else body_names())]
    return standing + [ModesCase(modal.study_body(motion), motion) for motion in scope.motions]


def mode_frequencies_for_plot(body: Body, poses: Array) -> Array:
    """(T, n) squared frequencies ((rad/s)^2) of the deformation modes at poses (T, nq)."""
    terms, stiffness = DynamicsTerms(body.model), modal_stiffness(body)
    data, found = terms.data, []
    for qpos in poses:
        terms.evaluate(qpos, np.zeros(body.nv))
        com, root, turn = data.subtree_com[1].copy(), data.xpos[1].copy(), data.xmat[1].reshape(3, 3).copy()
        found.append(modes_at(terms.mass, stiffness, com, root, turn)[0])
    return np.array(found)


def run_modes_case(case: ModesCase) -> Row:
    """Row of a case: the number of modes of each kind and, for a motion, frequencies of its principal components."""
    if case.motion is None:
        body, seconds, first, last = Body.named(case.body or modal.BODY), 0.0, None, None
        poses = body.standing[None]
    else:
        body, reference = cached_cast(case.motion, case.body, True)
        clip = next(iter(reference.motions.values())).clip
        seconds, (first, last) = clip.seconds, component_spectra(clip.qpos[:-1, 7:], clip.seconds)
        poses = np.array([reference.at(time).qpos for time in np.arange(0.0, seconds, EVERY)])
    found = mode_frequencies_for_plot(body, poses)
    slow = (found < modal.OURS.threshold).sum(axis=1)
    typical = np.median(found, axis=0)
    few = int(np.median(slow))
    return {
        "body": body.name,
        "pose": STANDING if case.motion is None else motion_display_name(case.motion),
        "rigid": ROOT,
        "slow": int(slow.min()),
        "slow_most": int(slow.max()),
        "fast": found.shape[1] - few,
        "lowest": float(typical[0]),
        "below": float(typical[few - 1]) if few else None,
        "above": float(typical[few]) if few < len(typical) else None,
        "highest": float(typical[-1]),
        "first_hz": None if first is None else first.centre,
        "last_hz": None if last is None else last.centre,
        "frequencies": _numbers_as_text(typical),
        "first_spectrum": "" if first is None else _numbers_as_text(first.share),
        "last_spectrum": "" if last is None else _numbers_as_text(last.share),
        "spectrum_hz": 1.0 / seconds if seconds else None,
    }


def _numbers_as_text(values: Array) -> str:
    return " ".join(f"{value:.5g}" for value in values)


def _numbers_from_text(text: object) -> Array:
    return np.array(str(text).split(), float)


def frequency_points(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the squared frequency of each mode of each standing body."""
    for row in rows_where(rows, pose=STANDING):
        found = _numbers_from_text(row["frequencies"])
        labels = {"body": row["body"], "pose": STANDING}
        yield from point_rows(labels, **{"mode": ROOT + np.arange(len(found)), "(rad/s)²": found})


def spectrum_points(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the spectra of the first and of the last principal components of each motion."""
    for row in rows:
        for components in ("first", "last"):
            share = _numbers_from_text(row[f"{components}_spectrum"])
            frequency = float(row["spectrum_hz"] or 0.0) * (1 + np.arange(len(share)))
            yield from point_rows({"pose": row["pose"], "components": components}, Hz=frequency, share_of_power=share)


MODES: Study[ModesCase] = Study(
    name="modal-modes",
    title="modes of bodies by frequency, and spectra of motions' principal components",
    reproduces="Jain and Liu 2011, Fig. 1 and section 7",
    whole=Scope(seeds=1, seconds=1.0, motions=modal.MOTIONS),
    quick=Scope(seeds=1, seconds=1.0, motions=("walk",), coarse=True),
    cases=modes_cases,
    run_case=run_modes_case,
    summary=lambda rows: [{name: row[name] for name in _SUMMARY} for row in rows],  # without frequencies and spectra
    plot=picture(
        drawn_of(frequency_points, curves("mode", ("(rad/s)²",), ("body",), ("pose",), ".-", yscale="log")),
        drawn_of(spectrum_points, curves("Hz", ("share_of_power",), ("components",), ("pose",), "-", xlim=(0.0, 20.0))),
    ),
)


RIGID = 6  # Number of rigid modes; the paper's mode numbers begin with them
PLANNED = 13  # Number of modes that are planned ahead: 6 to 18 in the paper's numbers
APART = 4  # Difference between one first mode k and the next
RANDOM, COARSE = 5, 2  # Number of random sets of modes in the whole and in the coarse scope
CURVE_STEPS = 10  # Steps between the points of a curve
EARLY = 1.0
"""Time (s) from the start over which the errors of trials that fall and of trials that do not can be compared."""
LITERAL = replace(modal.OURS, place=0.1, turn=0.5, force=0.1, low_place=0.5, soft=LARGEST, capture=0.0, believed=0.0)
"""The paper's weights and latency, without compliance (`soft`) and with fixed footholds."""
PLANS = {"Poise's": modal.OURS, "the paper's": LITERAL}


@dataclass(frozen=True)
class SelectionCase(modal.ModalCase):
    """A trial and the modes that are planned ahead in it."""

    modes: tuple[int, ...] = ()  # numbers, counted from the slowest deformation mode


class SelectedModal(Modal):
    """Modal-space control that treats the chosen modes as slow, whatever their frequencies, and the others as fast."""

    def __init__(self, settings: ModalSettings, chosen: Sequence[int]) -> None:
        super().__init__(settings)
        self._chosen = np.array(chosen, np.int64)

    def _split(self, modes: Modes) -> tuple[Modes, int]:
        rest = np.setdiff1d(np.arange(len(modes.frequency)), self._chosen)
        order = np.concatenate([self._chosen, rest])
        shape, lever = (np.ascontiguousarray(table[:, order]) for table in (modes.shape, modes.lever))
        return modes._replace(frequency=modes.frequency[order], shape=shape, lever=lever), len(self._chosen)


def selection_cases(scope: Scope) -> list[SelectionCase]:
    """Cases for each motion, plan, set of modes and seed: one without a push, four with a push to one side."""
    return [
        SelectionCase(
            {"motion": motion_display_name(motion), "plan": plan, "modes": name, **pushed},
            trial,
            replace(settings, window=modal.paper_window(motion)),
            modes=modes,
        )
        for motion in scope.motions
        for plan, settings in PLANS.items()
        for body, _ in (cached_cast(motion, modal.study_body(motion), True),)
        for name, modes in mode_sets_for_cases(body.nv - RIGID, scope.coarse).items()
        for pushed, trial in pushed_and_unpushed_trials(motion, scope)
    ]


def mode_sets_for_cases(count: int, coarse: bool = False) -> dict[str, tuple[int, ...]]:
    """Sets of modes by name, out of `count` deformation modes: runs of successive modes, and random sets."""
    planned = min(PLANNED, count)
    firsts = range(0, count - planned + 1, 2 * APART if coarse else APART)
    ends = [(first, first + planned) for first in firsts]
    runs = {f"{RIGID + first} to {RIGID + end - 1}": tuple(range(first, end)) for first, end in ends}
    drawn = {
        f"random {seed}": tuple(sorted(np.random.default_rng(seed).choice(count, planned, replace=False).tolist()))
        for seed in range(COARSE if coarse else RANDOM)
    }
    return runs | drawn


def run_selection_case(case: SelectionCase) -> Row:
    """Row of a trial, with the orientation error (rad, rms) of its first EARLY s and the error's curve over time."""
    turned: list[float] = []
    row = modal.modal_trial_row(case, SelectedModal(case.settings, case.modes), turned)
    early = np.array(turned[: round(EARLY * case.trial.rate)])
    curve = " ".join(f"{value:.4f}" for value in turned[::CURVE_STEPS])
    return {**row, "early_rad": float(np.sqrt(np.mean(early**2))), "curve": curve}


def selection_summary(rows: Sequence[Row]) -> list[Row]:
    """One row for each motion, plan, set of modes, with or without pushes; rows without pushes come first."""
    columns = {
        **modal.summary_columns("trials", "survived", "seconds", "physical"),
        **column_means("early_rad", "turned_rms_rad", "joint_rms_deg", "jitter_ratio"),
    }
    ordered = sorted(rows, key=lambda row: bool(row["pushed"]))
    return group_rows(ordered, ("motion", "plan", "pushed", "modes"), columns)


def error_points(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the orientation error over time in the first trial of each set of modes."""
    for labels, own in rows_by(rows, ("motion", "plan", "pushed", "modes")):
        error = _numbers_from_text(own[0]["curve"])
        yield from point_rows(labels, s=CURVE_STEPS / 120 * np.arange(len(error)), error_rad=error)


SELECTION: Study[SelectionCase] = Study(
    name="modal-selection",
    title="error of orientation with other modes planned ahead than the slowest",
    reproduces="Jain and Liu 2011, Fig. 5",
    whole=Scope(seeds=2, seconds=8.0, motions=("walk",)),
    quick=Scope(seeds=1, seconds=3.0, motions=("walk",), coarse=True),
    cases=selection_cases,
    run_case=run_selection_case,
    summary=selection_summary,
    plot=picture(
        drawn_of(error_points, curves("s", ("error_rad",), ("modes",), ("motion", "plan", "pushed"), "-", yscale="log"))
    ),
)
