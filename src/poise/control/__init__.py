"""Controllers: the interface, the catalogue, one room for each paper, and `hold` and `limp` in `plain`."""
