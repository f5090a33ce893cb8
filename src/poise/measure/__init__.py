"""Judging recordings: is it physical, and how good is it?"""

from poise.measure.audit import Audit, audit
from poise.measure.metrics import metrics

__all__ = ["Audit", "audit", "metrics"]
