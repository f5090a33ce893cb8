"""What performs: a motion on a body in a scene, staged and stepped."""
