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
