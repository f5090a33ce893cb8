"""Motion as animators keep it: skeletons, clips, the files they come in."""
