"""Columns that tell how a performance went: survival, the trial's verdict, and the audit."""

from __future__ import annotations

from dataclasses import asdict

from poise.measure.audit import audit
from poise.study.experiment.study import Row
from poise.study.experiment.trial import Verdict
from poise.world.recording import Recording


def trial_row(labels: Row, seed: int, survived: bool, verdict: Verdict, measured: Row, audit_falls: bool) -> Row:
    """The row of a trial: its labels and seed, the verdict, further measurements, and the result of the audit.

    A fall is audited only if `audit_falls`; otherwise `physical` is None for a trial that fell.
    """
    columns = asdict(verdict)
    failed = columns.pop("failed")
    return {
        **labels,
        "seed": seed,
        "survived": survived,
        **columns,
        **measured,
        "physical": not failed if audit_falls or verdict.fell_at is None else None,
        "failed_checks": " ".join(failed),
    }


def audit_columns(recording: Recording) -> Row:
    """Whether a recording passes the audit, and the names of the checks that it fails."""
    checked = audit(recording)
    failed = " ".join(check.name for check in checked.checks if not check.passed)
    return {"physical": checked.passed, "failed_checks": failed}
