"""Ground and aerial rotation: rolls and flips [Zordan2014]."""
