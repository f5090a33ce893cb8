"""Controllers: one package for each paper, and `plain` with two simple controllers."""
