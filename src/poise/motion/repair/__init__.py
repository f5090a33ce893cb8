"""Import that repairs: what motion files get wrong, found, mended and reported."""

from typing import TYPE_CHECKING

from poise.lazy import lazy_names

if TYPE_CHECKING:
    from poise.motion.repair.finding import Finding, Imported, report
    from poise.motion.repair.importing import import_motion, repaired
    from poise.motion.repair.settings import UNITS, ImportSettings

_HOMES = {
    "UNITS": "poise.motion.repair.settings",
    "Finding": "poise.motion.repair.finding",
    "ImportSettings": "poise.motion.repair.settings",
    "Imported": "poise.motion.repair.finding",
    "import_motion": "poise.motion.repair.importing",
    "repaired": "poise.motion.repair.importing",
    "report": "poise.motion.repair.finding",
}

__all__ = ["UNITS", "Finding", "ImportSettings", "Imported", "import_motion", "repaired", "report"]

# The command line reads `poise.motion.repair.settings` for its help and must not load the rest for it.
__getattr__ = lazy_names(__name__, _HOMES)
