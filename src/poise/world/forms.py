"""How terrains and pushes are written on the command line."""

from __future__ import annotations

PUSH_FORM = "FORCE[@TIME][,duration=S][,dir=DEG|x:y:z][,body=NAME]"

TERRAIN_FORMS = {
    "flat": "flat",
    "slope": "slope:DEG",
    "stairs": "stairs:RISE:RUN:COUNT",
    "rough": "rough:AMPLITUDE[:SEED]",
    "drop": "drop:HEIGHT[:EVERY]",
    "hurdle": "hurdle:HEIGHT[:EVERY]",
    "spiral": "spiral:HEIGHT:DEGREES:RADIUS:COUNT",
}

TERRAIN_BOUNDS = {
    "flat": "without numbers",
    "slope": "with |DEG| < 80",
    "stairs": "with RISE other than 0, RUN > 0 and COUNT from 1 to 200",
    "rough": "with AMPLITUDE > 0 and a whole SEED >= 0",
    "drop": "with HEIGHT other than 0 and EVERY > 0",
    "hurdle": "with HEIGHT > 0 and EVERY > 0.1",
    "spiral": "with HEIGHT > 0, 0 < DEGREES <= 60, RADIUS > 0 and COUNT from 1 to 300 / DEGREES",
}
"""What the numbers of a terrain may be, m and degrees."""
