"""The equations of motion: their terms, centroidal momentum, and the values that pass between parts."""

from poise.dynamics.actuation import Actuation, Motors
from poise.dynamics.mechanism import Mechanism
from poise.dynamics.state import Contacts, State
from poise.dynamics.terms import Terms

__all__ = ["Actuation", "Contacts", "Mechanism", "Motors", "State", "Terms"]
