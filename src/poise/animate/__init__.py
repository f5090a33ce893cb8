"""Motion from scratch: scripts of control poses, solved for what they are to achieve, and performed [Fattal2006]."""
