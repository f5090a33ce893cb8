"""The simulated world: scenes, terrain, props, grips, pushes, the step, and recordings of what happened."""
