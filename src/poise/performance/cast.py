"""Casting: find the body and the reference for the names or files that a user gives."""

from dataclasses import dataclass, replace

from poise.body.body import Body
from poise.control.catalogue import behaviour_controller
from poise.errors import PoiseError
from poise.library.behaviours.behaviour import BehaviourReference
from poise.library.behaviours.files import behaviour_names, read_behaviour
from poise.library.bodies import OWN, load_shipped_or_own_body
from poise.library.motions import named_motion, shipped_dynamic_bodies
from poise.motion.captures import motion_file
from poise.motion.repair.finding import Imported
from poise.progress import Say, no_progress
from poise.reference.archive import FILE, is_prepared, load_reference
from poise.reference.played import Played
from poise.reference.reference import Reference
from poise.retarget.prepare import prepare

DEFAULT_BODY = "human37"  # Body of shipped motions by default
PLAIN_CONTROLLER = "hold"  # Controller of motions by default


@dataclass(frozen=True)
class Cast:
    """A body, the reference that it performs, and the findings of the import if the motion is a file."""

    body: Body
    reference: Reference
    imported: Imported | None = None
    ships: bool = False  # whether the motion ships with Poise

    def with_load(self, link: str, mass: float) -> "Cast":
        """This cast with a load of `mass` kg at a link. The reference loses its dynamics, which assume no load."""
        body, reference = self.body.loaded({link: mass}), self.reference
        if isinstance(reference, Played):
            reference = Played(replace(reference.clip, body=body))
        return replace(self, body=body, reference=reference)


def is_behaviour(motion: str) -> bool:
    """Whether a motion is a behaviour: a shipped one by name, or the user's own file."""
    return motion in behaviour_names() or motion_file(motion).suffix == ".toml"


def default_controller(motion: str | Reference) -> str:
    """Name of the controller that performs a motion if none is given."""
    named = isinstance(motion, str) and is_behaviour(motion)
    return behaviour_controller() if named or isinstance(motion, BehaviourReference) else PLAIN_CONTROLLER


def default_body(motion: str, physics: bool = False, usual: str | None = None) -> str:
    """Name of the body that `cast` takes if none is given; "own" for a motion file, which includes prepared motions."""
    if is_behaviour(motion):
        return read_behaviour(motion).body
    path = motion_file(motion)
    able = shipped_dynamic_bodies(motion) if physics else ()
    return OWN if path.suffix else usual or (able[0] if able else DEFAULT_BODY)


def cast(
    motion: str, body: str | Body | None = None, say: Say = no_progress, physics: bool = False, usual: str | None = None
) -> Cast:  # fmt: skip
    """Find the body and the reference that it performs; prepare a motion file.

    `motion` is the name of a shipped motion, behaviour or fetched capture, a motion file, or a prepared motion; `body`
    is a `Body`, the name of a shipped body, an MJCF file, a motion file whose skeleton the body is built for, or "own"
    (the default for motion files). For shipped motions, the default is the body named `usual`, or with `physics` the
    first body that has a dynamic reference of the motion.
    """
    path = motion_file(motion)
    if is_behaviour(motion):
        behaviour = read_behaviour(motion)
        performer = load_shipped_or_own_body(body or behaviour.body)
        if behaviour.limits is not None:
            performer = performer.with_torque_limits(behaviour.limits)
        return Cast(performer, BehaviourReference(behaviour, performer), ships=not path.suffix)
    if (path / FILE).is_file():
        raise PoiseError(f"{path} is the folder of a prepared motion: name its file {path / FILE}")
    if not path.suffix:
        performer = load_shipped_or_own_body(body or default_body(motion, physics, usual))
        return Cast(performer, named_motion(motion, performer), ships=True)
    if is_prepared(path):
        clip, dynamic = load_reference(path)
        if isinstance(body, Body):
            raise PoiseError(f"{path} holds the body that it is prepared for: leave out the body")
        if body not in (None, OWN, clip.body.name):
            raise PoiseError(f"{path} is prepared for body '{clip.body.name}': prepare the motion for '{body}'")
        return Cast(clip.body, Played(clip, dynamic))
    prepared = prepare(path, None if body is None or body == OWN else load_shipped_or_own_body(body), say=say)
    return Cast(prepared.clip.body, Played(prepared.clip), prepared.imported)
