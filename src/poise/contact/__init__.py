"""Contact as a complementarity problem: its rows, the problem and solution as data, and the solvers."""
