"""Contact as a complementarity problem: its rows, the problem and solution as data, and the solvers."""

from poise.contact.problem import ContactProblem, ContactSolution, Status
from poise.contact.solve import solve

__all__ = ["ContactProblem", "ContactSolution", "Status", "solve"]
