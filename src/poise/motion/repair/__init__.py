"""Import that repairs: what motion files get wrong, found, mended and reported."""

from poise.motion.repair.finding import Finding, Imported, report
from poise.motion.repair.importing import import_motion, repaired
from poise.motion.repair.settings import UNITS, ImportSettings

__all__ = ["UNITS", "Finding", "ImportSettings", "Imported", "import_motion", "repaired", "report"]
